#pragma once

// Clang's thread-safety analysis, spelt for this project. The macros are empty under other
// compilers. See https://clang.llvm.org/docs/ThreadSafetyAnalysis.html.

#if defined(__clang__)
#define NAVAL_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define NAVAL_THREAD_ANNOTATION(x)
#endif

#define NAVAL_CAPABILITY(name) NAVAL_THREAD_ANNOTATION(capability(name))
#define NAVAL_SCOPED_CAPABILITY NAVAL_THREAD_ANNOTATION(scoped_lockable)
#define NAVAL_GUARDED_BY(mutex) NAVAL_THREAD_ANNOTATION(guarded_by(mutex))
#define NAVAL_ACQUIRE(...) NAVAL_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define NAVAL_RELEASE(...) NAVAL_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define NAVAL_REQUIRES(...) NAVAL_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define NAVAL_EXCLUDES(...) NAVAL_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
