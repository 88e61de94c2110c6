// Preloaded into the program: its MuJoCo says that it is of another version.
extern "C" const char* mj_versionString() { return "1.2.3"; }
