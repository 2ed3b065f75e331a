// Made by `cargo xtask codegen` from windows-default 0.100.0 and overlay.toml; do not edit.
// Which shape each method's thunk has; included by `abi::thunk`.
shapes! {
f f_();
f f_ii(a0 0 i,a1 1 i);
f f_iii(a0 0 i,a1 1 i,a2 2 i);
f f_iiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i);
m m_();
m m_b(a0 0 b);
m m_bi(a0 0 b,a1 1 i);
m m_bii(a0 0 b,a1 1 i,a2 2 i);
m m_biii(a0 0 b,a1 1 i,a2 2 i,a3 3 i);
m m_biiii(a0 0 b,a1 1 i,a2 2 i,a3 3 i,a4 4 i);
m m_i(a0 0 i);
m m_ib(a0 0 i,a1 1 b);
m m_ii(a0 0 i,a1 1 i);
m m_iii(a0 0 i,a1 1 i,a2 2 i);
m m_iiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i);
m m_iiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i);
m m_iiiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i);
m m_iiiiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i,a6 6 i);
m m_iiiiiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i,a6 6 i,a7 7 i);
m m_iiiiiiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i,a6 6 i,a7 7 i,a8 8 i);
m m_iiiiiiiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i,a6 6 i,a7 7 i,a8 8 i,a9 9 i);
m m_iisiii(a0 0 i,a1 1 i,a2 2 s,a3 3 i,a4 4 i,a5 5 i);
m m_ss(a0 0 s,a1 1 s);
m m_sss(a0 0 s,a1 1 s,a2 2 s);
}
thunk_list! {
m_ii 0,m_ 1,m_ 2,m_ 3,m_ 4,m_ 5,m_ 6,m_iiiiiiiiii 7,m_iiiiii 8,m_ii 9,m_iii 10,m_iii 11,m_ 12,m_ii 13,m_ii 14,m_i 15,
m_ii 16,m_i 17,m_iiii 18,m_ 19,m_ 20,m_i 21,m_i 22,m_i 23,m_i 24,m_i 25,m_i 26,m_ 27,m_i 28,m_i 29,m_iii 30,m_i 31,
m_ 32,m_iii 33,m_iii 34,m_iii 35,m_iii 36,m_iii 37,m_iii 38,m_iii 39,m_iii 40,m_iii 41,m_iii 42,m_i 43,m_ 44,m_i 45,m_iii 46,m_iii 47,
m_i 48,m_iii 49,m_iii 50,m_i 51,m_i 52,m_i 53,m_ 54,m_iii 55,m_iii 56,m_iii 57,m_iii 58,m_iiiiii 59,m_iii 60,m_iii 61,m_i 62,m_iiiii 63,
m_ii 64,m_iii 65,m_iiii 66,m_iii 67,m_iii 68,m_ii 69,m_iiiiiii 70,m_iiii 71,m_iiii 72,m_iii 73,m_iiiiiii 74,m_iii 75,m_iiiiiii 76,m_iiiii 77,m_iiiii 78,m_iii 79,
m_iii 80,m_ii 81,m_ii 82,m_iiii 83,m_ 84,m_iiiiiiii 85,m_iii 86,m_i 87,m_iiii 88,m_iiiiiii 89,m_i 90,m_iiii 91,m_iiiii 92,m_iii 93,m_iii 94,m_iii 95,
m_iii 96,m_iiiii 97,m_iiiii 98,m_iii 99,m_iiiiiiii 100,m_iiii 101,m_iiiiii 102,m_iiiii 103,m_iii 104,m_ 105,m_ii 106,m_iiiii 107,m_iiiiii 108,m_iii 109,m_ii 110,m_ii 111,
m_iiii 112,m_iiii 113,m_iii 114,m_iiiii 115,m_iiiiiiii 116,m_iiiiiii 117,m_iii 118,m_iiiiiiii 119,m_iii 120,m_ii 121,m_iiii 122,m_iiiiiiiiii 123,m_iiiiiiiii 124,m_iiiiiiii 125,m_ii 126,m_iiiiiii 127,
m_iiii 128,m_iiiiii 129,m_ii 130,m_i 131,m_ii 132,m_iii 133,m_iiii 134,m_iiiii 135,m_ 136,m_ 137,m_i 138,m_ 139,m_iii 140,m_iiii 141,m_iiii 142,m_i 143,
m_i 144,m_i 145,m_i 146,m_i 147,m_ 148,m_i 149,m_i 150,m_i 151,m_i 152,m_i 153,m_i 154,m_i 155,m_ 156,m_ 157,m_ii 158,m_i 159,
m_ 160,m_i 161,m_i 162,m_i 163,m_i 164,m_ii 165,m_i 166,m_ii 167,m_i 168,m_iii 169,m_iii 170,m_ii 171,m_iiii 172,m_ 173,m_ 174,m_ 175,
m_ii 176,m_i 177,m_iiii 178,m_iiiii 179,m_iii 180,m_iiiii 181,m_iiiiii 182,m_ii 183,m_iiiiii 184,m_iiiii 185,m_i 186,m_ii 187,m_ii 188,m_i 189,m_i 190,m_i 191,
m_ii 192,m_i 193,m_ii 194,m_i 195,m_i 196,m_ii 197,m_ii 198,m_iii 199,m_iii 200,m_iiii 201,m_iiii 202,m_ii 203,m_ii 204,m_ii 205,m_ii 206,m_ii 207,
m_ii 208,m_i 209,m_iii 210,m_iii 211,m_iiii 212,m_iisiii 213,m_iiii 214,m_iiiiii 215,m_iiiiii 216,m_ii 217,m_iii 218,m_iii 219,m_iiiiii 220,m_iii 221,m_iii 222,m_iii 223,
m_ 224,m_iiiiii 225,m_iiiiiii 226,m_iiiiiii 227,m_ss 228,m_iii 229,m_iiiiiiiii 230,m_i 231,m_iii 232,m_i 233,m_iiii 234,m_ 235,m_iii 236,m_iii 237,m_iii 238,m_iii 239,
m_iii 240,m_i 241,m_i 242,m_ii 243,m_i 244,m_iii 245,m_ii 246,m_ii 247,m_sss 248,m_i 249,m_i 250,m_i 251,m_i 252,m_ii 253,m_i 254,m_ 255,
m_iii 256,m_ 257,m_ 258,m_ 259,m_ 260,m_ 261,m_ 262,m_i 263,m_ii 264,m_ 265,m_ 266,m_ 267,m_i 268,m_ 269,m_ 270,m_i 271,
m_ii 272,m_ 273,m_ 274,m_ 275,m_i 276,m_ 277,m_ 278,m_iiii 279,m_ii 280,m_ii 281,m_ii 282,m_ii 283,m_i 284,m_i 285,m_i 286,m_i 287,
m_ 288,m_iiii 289,m_i 290,m_i 291,m_i 292,m_i 293,m_i 294,m_ii 295,m_ii 296,m_iii 297,m_iii 298,m_ii 299,m_i 300,m_i 301,m_ii 302,m_iiii 303,
m_iiii 304,m_ 305,m_ii 306,m_iiii 307,m_i 308,m_ii 309,m_i 310,m_i 311,m_ii 312,m_ 313,m_iii 314,m_ii 315,m_i 316,m_ 317,m_iiiii 318,m_iiiii 319,
m_ii 320,m_ii 321,m_i 322,m_ 323,m_ii 324,m_iiii 325,m_ 326,m_iiii 327,m_iiii 328,m_ 329,m_i 330,m_i 331,m_i 332,m_i 333,m_ii 334,m_ii 335,
m_ii 336,m_ii 337,m_i 338,m_ii 339,m_ 340,m_ 341,m_ 342,m_ 343,m_ 344,m_ 345,m_ 346,m_i 347,m_iii 348,m_ 349,m_i 350,m_i 351,
m_i 352,m_i 353,m_i 354,m_i 355,m_i 356,m_i 357,m_ 358,m_ 359,m_ 360,m_i 361,m_i 362,m_i 363,m_i 364,m_ 365,m_ 366,m_i 367,
m_iii 368,m_ii 369,m_i 370,m_i 371,m_i 372,m_i 373,m_ 374,m_i 375,m_ii 376,m_iii 377,m_iii 378,m_i 379,m_ii 380,m_iiii 381,m_ 382,m_i 383,
m_ 384,m_ii 385,m_ 386,m_ii 387,m_ii 388,m_ 389,m_ 390,m_i 391,m_ 392,m_ii 393,m_ii 394,m_iii 395,m_iii 396,m_iiiiii 397,m_iii 398,m_iii 399,
m_iii 400,m_ 401,m_iii 402,m_iii 403,m_iii 404,m_i 405,m_iii 406,m_iii 407,m_ii 408,m_i 409,m_ii 410,m_i 411,m_ii 412,m_iii 413,m_iii 414,m_iii 415,
m_iiiiii 416,m_iiii 417,m_iiii 418,m_iiii 419,m_iiii 420,m_iiiiiii 421,m_iiiiii 422,m_iiiii 423,m_iii 424,m_iii 425,m_iii 426,m_ 427,m_i 428,m_ 429,m_ii 430,m_ii 431,
m_iii 432,m_iii 433,m_iiiiii 434,m_iii 435,m_iii 436,m_iii 437,m_ 438,m_iii 439,m_ii 440,m_iii 441,m_i 442,m_iii 443,m_iii 444,m_iiii 445,m_ii 446,m_ii 447,
m_iiii 448,m_ii 449,m_ii 450,m_ 451,m_ 452,m_ 453,m_b 454,m_b 455,m_ 456,m_ 457,m_ 458,m_ 459,m_ 460,m_b 461,m_b 462,m_ 463,
m_ii 464,m_ 465,m_i 466,m_ii 467,m_i 468,m_ii 469,m_i 470,m_ii 471,m_ 472,m_i 473,m_ 474,m_ii 475,m_ii 476,m_iii 477,m_iii 478,m_iiiiii 479,
m_iii 480,m_iii 481,m_iii 482,m_ 483,m_iiii 484,m_iii 485,m_iiii 486,m_i 487,m_iii 488,m_iii 489,m_ii 490,m_ 491,m_ 492,m_ii 493,m_i 494,m_ii 495,
m_ii 496,m_iii 497,m_ 498,m_i 499,m_i 500,m_i 501,m_iii 502,m_ib 503,m_ii 504,m_i 505,m_iii 506,m_ib 507,m_ii 508,m_ii 509,m_ii 510,m_iii 511,
m_i 512,m_ii 513,m_i 514,m_ii 515,m_i 516,m_i 517,m_ii 518,m_i 519,m_iii 520,m_iii 521,m_ii 522,m_i 523,m_i 524,m_bi 525,m_ 526,m_ 527,
m_ 528,m_iii 529,m_i 530,m_i 531,m_ii 532,m_i 533,m_i 534,m_ii 535,m_i 536,m_ 537,m_i 538,m_iiiii 539,m_iii 540,m_i 541,m_i 542,m_i 543,
m_i 544,m_iii 545,m_iii 546,m_i 547,m_ 548,m_iiii 549,m_iii 550,m_ii 551,m_ 552,m_i 553,m_ii 554,m_ii 555,m_i 556,m_iii 557,m_ii 558,m_ii 559,
m_ 560,m_ 561,m_iiiiii 562,m_iiiii 563,m_ii 564,m_iii 565,m_ii 566,m_i 567,m_iii 568,m_ii 569,m_i 570,m_iiii 571,m_ 572,m_iii 573,m_ii 574,m_iii 575,
m_iiii 576,m_ii 577,m_i 578,m_iiiii 579,m_iiiiii 580,m_bi 581,m_b 582,m_biii 583,m_b 584,m_b 585,m_b 586,m_b 587,m_b 588,m_b 589,m_bi 590,m_bii 591,
m_b 592,m_b 593,m_b 594,m_b 595,m_bi 596,m_b 597,m_b 598,m_bi 599,m_bii 600,m_b 601,m_b 602,m_b 603,m_b 604,m_bi 605,m_b 606,m_b 607,
m_biiii 608,m_ii 609,m_bii 610,m_bii 611,m_bii 612,m_bi 613,m_bi 614,m_bi 615,m_bi 616,m_b 617,m_ii 618,m_i 619,m_iii 620,m_ii 621,m_iii 622,m_ii 623,
m_i 624,m_iiii 625,m_iii 626,m_ 627,m_ii 628,m_ 629,m_i 630,m_i 631,m_i 632,m_i 633,m_i 634,m_i 635,m_iiii 636,m_iii 637,m_i 638,m_ii 639,
m_ 640,m_iii 641,m_iiii 642,m_iiiii 643,m_i 644,m_i 645,m_i 646,m_iii 647,m_iii 648,m_iii 649,m_iiii 650,m_i 651,m_ 652,m_ 653,m_i 654,m_i 655,
m_i 656,m_i 657,m_ii 658,m_iiii 659,m_i 660,m_ii 661,m_ 662,m_ii 663,m_i 664,m_iii 665,m_ii 666,m_iii 667,m_ii 668,m_ii 669,m_i 670,m_iiiii 671,
m_i 672,m_i 673,m_i 674,m_i 675,m_i 676,m_i 677,m_i 678,m_ii 679,m_iii 680,m_ 681,m_i 682,m_i 683,m_i 684,m_i 685,m_i 686,m_ii 687,
m_ii 688,m_i 689,m_i 690,m_ 691,m_i 692,m_i 693,m_ 694,m_ii 695,m_i 696,m_iiiiiii 697,m_iii 698,m_i 699,m_i 700,m_iii 701,f_iiii 702,f_ii 703,
f_iii 704,f_iiii 705,f_iiii 706,f_iii 707,f_iiii 708,f_iiii 709,f_ii 710,f_ii 711,f_iii 712,f_iii 713,f_ 714,f_ 715,
}
#[macro_export]
#[doc(hidden)]
macro_rules! export_named {
(D3D12CreateDevice,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDevice,702,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12GetDebugInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetDebugInterface,703,(a0 0 i,a1 1 i));};
(D3D12GetInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetInterface,704,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12EnableExperimentalFeatures,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12EnableExperimentalFeatures,705,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeRootSignature,706,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeVersionedRootSignature,707,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateRootSignatureDeserializer,708,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12CreateVersionedRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializer,709,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(CreateDXGIFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory,710,(a0 0 i,a1 1 i));};
(CreateDXGIFactory1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory1,711,(a0 0 i,a1 1 i));};
(CreateDXGIFactory2,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory2,712,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIGetDebugInterface1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIGetDebugInterface1,713,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIDeclareAdapterRemovalSupport,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDeclareAdapterRemovalSupport,714,());};
(DXGIDisableVBlankVirtualization,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDisableVBlankVirtualization,715,());};
}
