// A group computes kFeatures rows of a matrix, kLanes threads each, which share out its columns.
const uint kFeatures = 8, kLanes = 16, kThreads = 128;
layout(local_size_x = 128) in;
