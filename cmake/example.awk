# The code of a document's blocks "```cpp compiled=NAME", one after the other.
inside && /^ *```/ { inside = 0 }
inside { print }
$1 == "```cpp" && $2 == "compiled=" name { inside = 1 }
