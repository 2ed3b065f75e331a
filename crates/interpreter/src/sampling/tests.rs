//! Against the tables and rules of the Direct3D 11.3 functional specification, 7.18.
