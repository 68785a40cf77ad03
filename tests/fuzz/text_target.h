#pragma once

#include "google/protobuf/message.h"

namespace naval::fuzz {

// A target's input is a protobuf message in text form, so that seeds and findings can be read and
// written by hand, and so that mutations keep to the form and reach deep. text_target.cc is the
// other side of libFuzzer's functions; a target defines these two.

// An empty message of the type that the inputs have. Lives as long as the process.
const google::protobuf::Message& EmptyInput();

// Does what the input says. Calls Fail when a promise is broken; must leave nothing behind that the
// next input could see.
void RunInput(const google::protobuf::Message& input);

}  // namespace naval::fuzz
