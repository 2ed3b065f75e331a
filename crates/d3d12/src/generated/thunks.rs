// Made by `cargo xtask codegen` from windows-default 0.100.0 and overlay.toml; do not edit.
// Which shape each method's thunk has; included by `abi::thunk`.
shapes! {
f f_();
f f_i(a0 0 i);
f f_ii(a0 0 i,a1 1 i);
f f_iii(a0 0 i,a1 1 i,a2 2 i);
f f_iiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i);
f f_iiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i);
f f_iiiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i);
m m_();
m m_b(a0 0 b);
m m_bi(a0 0 b,a1 1 i);
m m_bii(a0 0 b,a1 1 i,a2 2 i);
m m_biii(a0 0 b,a1 1 i,a2 2 i,a3 3 i);
m m_biiii(a0 0 b,a1 1 i,a2 2 i,a3 3 i,a4 4 i);
m m_d(a0 0 d);
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
m m_iiiiiiiiiii(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i,a6 6 i,a7 7 i,a8 8 i,a9 9 i,a10 10 i);
m m_iisiii(a0 0 i,a1 1 i,a2 2 s,a3 3 i,a4 4 i,a5 5 i);
m m_ss(a0 0 s,a1 1 s);
m m_sss(a0 0 s,a1 1 s,a2 2 s);
}
thunk_list! {
m_ii 0,m_ 1,m_ 2,m_ 3,m_ 4,m_ii 5,m_ 6,m_ 7,m_iiiiiiiiii 8,m_iiiiii 9,m_ii 10,m_iii 11,m_iii 12,m_ 13,m_ii 14,m_ii 15,
m_i 16,m_ii 17,m_i 18,m_i 19,m_i 20,m_i 21,m_i 22,m_iiiiiiiiiii 23,m_iiii 24,m_iiii 25,m_iii 26,m_iiiii 27,m_iiiiii 28,m_ii 29,m_ii 30,m_iiii 31,
m_iiiii 32,m_iiiii 33,m_ 34,m_i 35,m_ 36,m_iiii 37,m_iii 38,m_ii 39,m_iii 40,m_ii 41,m_iii 42,m_iiiiii 43,m_iii 44,m_ii 45,m_ii 46,m_iiii 47,
m_ii 48,m_ii 49,m_ii 50,m_i 51,m_iii 52,m_iii 53,m_iii 54,m_iii 55,m_i 56,m_i 57,m_iiii 58,m_iii 59,m_iii 60,m_ii 61,m_i 62,m_i 63,
m_i 64,m_iiii 65,m_ 66,m_ 67,m_i 68,m_i 69,m_i 70,m_i 71,m_i 72,m_i 73,m_ 74,m_i 75,m_i 76,m_iii 77,m_i 78,m_ 79,
m_iii 80,m_iii 81,m_iii 82,m_iii 83,m_iii 84,m_iii 85,m_iii 86,m_iii 87,m_iii 88,m_iii 89,m_i 90,m_ 91,m_i 92,m_iii 93,m_iii 94,m_i 95,
m_iii 96,m_iii 97,m_i 98,m_i 99,m_i 100,m_ 101,m_iii 102,m_iii 103,m_iii 104,m_iii 105,m_iiiiii 106,m_iii 107,m_iii 108,m_i 109,m_iiiii 110,m_ii 111,
m_iii 112,m_iiii 113,m_iii 114,m_iii 115,m_ii 116,m_iiiiiii 117,m_iiii 118,m_iiii 119,m_iii 120,m_iiiiiii 121,m_iii 122,m_iiiiiii 123,m_iiiii 124,m_iiiii 125,m_iii 126,m_iii 127,
m_ii 128,m_ii 129,m_iiii 130,m_ 131,m_iiiiiiii 132,m_iii 133,m_i 134,m_iiii 135,m_iiiiiii 136,m_i 137,m_iiii 138,m_iiiii 139,m_iii 140,m_iii 141,m_iii 142,m_iii 143,
m_iiiii 144,m_iiiii 145,m_iii 146,m_iiiiiiii 147,m_iiii 148,m_iiiiii 149,m_iiiii 150,m_iii 151,m_ 152,m_ii 153,m_iiiii 154,m_iiiiii 155,m_iii 156,m_ii 157,m_ii 158,m_iiii 159,
m_iiii 160,m_iii 161,m_iiiii 162,m_iiiiiiii 163,m_iiiiiii 164,m_iii 165,m_iiiiiiii 166,m_iii 167,m_ii 168,m_iiii 169,m_iiiiiiiiii 170,m_iiiiiiiii 171,m_iiiiiiii 172,m_ii 173,m_iiiiiii 174,m_iiii 175,
m_iiiiii 176,m_i 177,m_i 178,m_iii 179,m_iiii 180,m_ii 181,m_ii 182,m_iii 183,m_iii 184,m_iii 185,m_iiii 186,m_iiiii 187,m_ii 188,m_i 189,m_ii 190,m_iii 191,
m_iiii 192,m_iiiii 193,m_iii 194,m_i 195,m_iiiiiii 196,m_i 197,m_iii 198,m_ii 199,m_i 200,m_iii 201,m_iiiii 202,m_ 203,m_i 204,m_i 205,m_i 206,m_i 207,
m_i 208,m_i 209,m_iii 210,m_ 211,m_ 212,m_i 213,m_ 214,m_iii 215,m_iiii 216,m_iiii 217,m_i 218,m_i 219,m_i 220,m_i 221,m_i 222,m_ 223,
m_i 224,m_i 225,m_i 226,m_i 227,m_i 228,m_i 229,m_i 230,m_i 231,m_ 232,m_ 233,m_ii 234,m_i 235,m_ 236,m_i 237,m_i 238,m_i 239,
m_i 240,m_ii 241,m_i 242,m_ii 243,m_i 244,m_iii 245,m_iii 246,m_ii 247,m_iiii 248,m_ 249,m_ 250,m_ 251,m_ii 252,m_i 253,m_iiii 254,m_iiiii 255,
m_iii 256,m_iiiii 257,m_iiiiii 258,m_ii 259,m_iiiiii 260,m_iiiii 261,m_i 262,m_ii 263,m_ii 264,m_i 265,m_i 266,m_i 267,m_ii 268,m_i 269,m_ii 270,m_i 271,
m_i 272,m_ii 273,m_ii 274,m_iii 275,m_iii 276,m_iiii 277,m_iiii 278,m_ii 279,m_ii 280,m_ii 281,m_ii 282,m_ii 283,m_ii 284,m_i 285,m_iii 286,m_iii 287,
m_iiii 288,m_iisiii 289,m_iiii 290,m_iiiiii 291,m_iiiiii 292,m_ii 293,m_iii 294,m_iii 295,m_iiiiii 296,m_iii 297,m_iii 298,m_iii 299,m_ 300,m_iiiiii 301,m_iiiiiii 302,m_iiiiiii 303,
m_ss 304,m_iii 305,m_iiiiiiiii 306,m_i 307,m_iii 308,m_i 309,m_iiii 310,m_ 311,m_iii 312,m_iii 313,m_iii 314,m_iii 315,m_iii 316,m_i 317,m_i 318,m_ii 319,
m_i 320,m_iii 321,m_ii 322,m_ii 323,m_sss 324,m_i 325,m_i 326,m_i 327,m_i 328,m_ii 329,m_i 330,m_ 331,m_iii 332,m_ 333,m_ 334,m_ 335,
m_ 336,m_ 337,m_ 338,m_i 339,m_ii 340,m_ 341,m_ 342,m_ 343,m_i 344,m_ 345,m_ 346,m_i 347,m_ii 348,m_ 349,m_ 350,m_ 351,
m_i 352,m_ 353,m_ 354,m_iiii 355,m_ii 356,m_ii 357,m_ii 358,m_ii 359,m_i 360,m_i 361,m_i 362,m_i 363,m_ 364,m_iiii 365,m_i 366,m_i 367,
m_i 368,m_i 369,m_i 370,m_ii 371,m_ii 372,m_iii 373,m_iii 374,m_ii 375,m_i 376,m_i 377,m_ii 378,m_iiii 379,m_iiii 380,m_ 381,m_ii 382,m_iiii 383,
m_i 384,m_ii 385,m_i 386,m_i 387,m_ii 388,m_ 389,m_iii 390,m_ii 391,m_i 392,m_ 393,m_iiiii 394,m_iiiii 395,m_ii 396,m_ii 397,m_i 398,m_ 399,
m_ii 400,m_ 401,m_i 402,m_ 403,m_ii 404,m_iiii 405,m_ 406,m_iiii 407,m_iiii 408,m_ 409,m_i 410,m_i 411,m_i 412,m_i 413,m_ii 414,m_ii 415,
m_ii 416,m_ii 417,m_i 418,m_ii 419,m_ 420,m_ 421,m_ 422,m_ 423,m_ 424,m_ 425,m_ 426,m_i 427,m_iii 428,m_ 429,m_i 430,m_i 431,
m_i 432,m_i 433,m_i 434,m_i 435,m_i 436,m_i 437,m_ 438,m_ 439,m_ 440,m_i 441,m_i 442,m_i 443,m_i 444,m_ 445,m_ 446,m_i 447,
m_iii 448,m_ii 449,m_i 450,m_i 451,m_i 452,m_ii 453,m_iiii 454,m_iiii 455,m_iiiiii 456,m_iiii 457,m_iii 458,m_iiii 459,m_i 460,m_i 461,m_ 462,m_i 463,
m_ii 464,m_iii 465,m_iii 466,m_i 467,m_ii 468,m_iiii 469,m_ 470,m_i 471,m_ 472,m_ii 473,m_ 474,m_ii 475,m_ii 476,m_ 477,m_ 478,m_i 479,
m_ 480,m_ii 481,m_ii 482,m_iii 483,m_iii 484,m_iiiiii 485,m_iii 486,m_iii 487,m_iii 488,m_ 489,m_iii 490,m_iii 491,m_iii 492,m_i 493,m_iii 494,m_iii 495,
m_ii 496,m_i 497,m_ii 498,m_i 499,m_ii 500,m_iii 501,m_iii 502,m_iii 503,m_iiiiii 504,m_iiii 505,m_iiii 506,m_iiii 507,m_iiii 508,m_iiiiiii 509,m_iiiiii 510,m_iiiii 511,
m_iii 512,m_iii 513,m_iii 514,m_ 515,m_i 516,m_ 517,m_ii 518,m_ii 519,m_iii 520,m_iii 521,m_iiiiii 522,m_iii 523,m_iii 524,m_iii 525,m_ 526,m_iii 527,
m_ii 528,m_iii 529,m_i 530,m_iii 531,m_iii 532,m_iiii 533,m_ii 534,m_ii 535,m_iiii 536,m_ii 537,m_ii 538,m_ 539,m_ 540,m_ 541,m_b 542,m_b 543,
m_ 544,m_ 545,m_ 546,m_ 547,m_ 548,m_b 549,m_b 550,m_ 551,m_ii 552,m_ 553,m_i 554,m_ii 555,m_i 556,m_ii 557,m_i 558,m_ii 559,
m_ 560,m_i 561,m_ 562,m_ii 563,m_ii 564,m_iii 565,m_iii 566,m_iiiiii 567,m_iii 568,m_iii 569,m_iii 570,m_ 571,m_iiii 572,m_iii 573,m_iiii 574,m_i 575,
m_iii 576,m_iii 577,m_ii 578,m_ 579,m_ 580,m_ii 581,m_i 582,m_ii 583,m_ii 584,m_iii 585,m_ 586,m_i 587,m_i 588,m_i 589,m_iii 590,m_ib 591,
m_ii 592,m_i 593,m_iii 594,m_ib 595,m_ii 596,m_ii 597,m_ii 598,m_iii 599,m_i 600,m_ii 601,m_i 602,m_ii 603,m_i 604,m_i 605,m_ii 606,m_i 607,
m_iii 608,m_iii 609,m_ii 610,m_i 611,m_i 612,m_bi 613,m_ 614,m_ 615,m_ 616,m_iii 617,m_i 618,m_i 619,m_ii 620,m_i 621,m_i 622,m_ii 623,
m_i 624,m_ 625,m_i 626,m_iiiii 627,m_iii 628,m_i 629,m_i 630,m_i 631,m_i 632,m_iii 633,m_iii 634,m_i 635,m_ 636,m_iiii 637,m_iii 638,m_ii 639,
m_ 640,m_i 641,m_ii 642,m_ii 643,m_i 644,m_iii 645,m_ii 646,m_ii 647,m_ 648,m_ 649,m_iiiiii 650,m_iiiii 651,m_ii 652,m_iii 653,m_ii 654,m_i 655,
m_iii 656,m_ii 657,m_i 658,m_iiii 659,m_ 660,m_iii 661,m_ii 662,m_iii 663,m_iiii 664,m_ii 665,m_i 666,m_iiiii 667,m_iiiiii 668,m_bi 669,m_b 670,m_biii 671,
m_b 672,m_b 673,m_b 674,m_b 675,m_b 676,m_b 677,m_bi 678,m_bii 679,m_b 680,m_b 681,m_b 682,m_b 683,m_bi 684,m_b 685,m_b 686,m_bi 687,
m_bii 688,m_b 689,m_b 690,m_b 691,m_b 692,m_bi 693,m_b 694,m_b 695,m_biiii 696,m_ii 697,m_bii 698,m_bii 699,m_bii 700,m_bi 701,m_bi 702,m_bi 703,
m_bi 704,m_b 705,m_ii 706,m_i 707,m_iii 708,m_ii 709,m_iii 710,m_ii 711,m_i 712,m_iiii 713,m_iii 714,m_ 715,m_ii 716,m_ 717,m_i 718,m_i 719,
m_i 720,m_i 721,m_i 722,m_i 723,m_iiii 724,m_iii 725,m_i 726,m_ii 727,m_ 728,m_iii 729,m_iiii 730,m_iiiii 731,m_i 732,m_i 733,m_i 734,m_iii 735,
m_iii 736,m_iii 737,m_iiii 738,m_i 739,m_ 740,m_ 741,m_i 742,m_i 743,m_i 744,m_i 745,m_ii 746,m_iiii 747,m_i 748,m_ii 749,m_ 750,m_ii 751,
m_i 752,m_iii 753,m_ii 754,m_iii 755,m_ii 756,m_ii 757,m_i 758,m_iiiii 759,m_i 760,m_i 761,m_i 762,m_i 763,m_i 764,m_i 765,m_i 766,m_ii 767,
m_iii 768,m_ 769,m_i 770,m_i 771,m_i 772,m_i 773,m_i 774,m_ii 775,m_ii 776,m_i 777,m_i 778,m_ 779,m_i 780,m_i 781,m_ 782,m_ii 783,
m_i 784,m_iiiiiii 785,m_iii 786,m_i 787,m_i 788,m_iii 789,m_ii 790,m_ii 791,m_ii 792,m_ii 793,m_iii 794,m_i 795,m_ii 796,m_ii 797,m_iii 798,m_ 799,
m_ 800,m_ 801,m_iii 802,m_i 803,m_ii 804,m_i 805,m_iii 806,m_i 807,m_i 808,m_i 809,m_i 810,m_i 811,m_d 812,m_iii 813,m_iiiiii 814,f_iiii 815,
f_ii 816,f_iii 817,f_iiii 818,f_iiii 819,f_iii 820,f_iiii 821,f_iiii 822,f_ii 823,f_ii 824,f_iii 825,f_iii 826,f_ 827,f_ 828,f_iiiii 829,f_iii 830,f_iii 831,
f_iiiii 832,f_ 833,f_i 834,f_ii 835,f_i 836,f_ii 837,f_i 838,f_i 839,f_i 840,f_iii 841,f_i 842,f_i 843,f_i 844,f_i 845,f_i 846,f_i 847,
f_i 848,f_iii 849,f_i 850,f_i 851,f_iiii 852,f_iiii 853,f_i 854,f_i 855,f_iii 856,f_iiii 857,f_iiii 858,f_iii 859,f_iiii 860,f_iiiiii 861,f_iii 862,f_ii 863,
f_iiii 864,f_iiii 865,f_iiii 866,f_iii 867,f_iiii 868,f_iii 869,f_iiii 870,f_iiii 871,f_iiii 872,f_iii 873,f_iii 874,f_iiiii 875,
}
#[macro_export]
#[doc(hidden)]
macro_rules! export_named {
(D3D12CreateDevice,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDevice,815,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12GetDebugInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetDebugInterface,816,(a0 0 i,a1 1 i));};
(D3D12GetInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetInterface,817,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12EnableExperimentalFeatures,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12EnableExperimentalFeatures,818,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeRootSignature,819,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeVersionedRootSignature,820,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateRootSignatureDeserializer,821,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12CreateVersionedRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializer,822,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(CreateDXGIFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory,823,(a0 0 i,a1 1 i));};
(CreateDXGIFactory1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory1,824,(a0 0 i,a1 1 i));};
(CreateDXGIFactory2,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory2,825,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIGetDebugInterface1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIGetDebugInterface1,826,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIDeclareAdapterRemovalSupport,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDeclareAdapterRemovalSupport,827,());};
(DXGIDisableVBlankVirtualization,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDisableVBlankVirtualization,828,());};
(D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,829,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(D3D12CompilerCreateFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerCreateFactory,830,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CompilerSerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerSerializeVersionedRootSignature,831,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateDeviceVKD3D,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDeviceVKD3D,832,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(vkd3d_create_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_event,833,());};
(vkd3d_signal_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_signal_event,834,(a0 0 i));};
(vkd3d_wait_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_wait_event,835,(a0 0 i,a1 1 i));};
(vkd3d_destroy_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_destroy_event,836,(a0 0 i));};
(vkd3d_create_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_instance,837,(a0 0 i,a1 1 i));};
(vkd3d_instance_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_decref,838,(a0 0 i));};
(vkd3d_instance_get_vk_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_get_vk_instance,839,(a0 0 i));};
(vkd3d_instance_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_incref,840,(a0 0 i));};
(vkd3d_create_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_device,841,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_get_device_parent,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_device_parent,842,(a0 0 i));};
(vkd3d_get_vk_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_device,843,(a0 0 i));};
(vkd3d_get_vk_physical_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_physical_device,844,(a0 0 i));};
(vkd3d_instance_from_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_from_device,845,(a0 0 i));};
(vkd3d_get_vk_queue_family_index,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_queue_family_index,846,(a0 0 i));};
(vkd3d_acquire_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_acquire_vk_queue,847,(a0 0 i));};
(vkd3d_release_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_release_vk_queue,848,(a0 0 i));};
(vkd3d_create_image_resource,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_image_resource,849,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_resource_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_decref,850,(a0 0 i));};
(vkd3d_resource_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_incref,851,(a0 0 i));};
(vkd3d_serialize_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_root_signature,852,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_create_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_root_signature_deserializer,853,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_get_vk_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_format,854,(a0 0 i));};
(vkd3d_get_dxgi_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_dxgi_format,855,(a0 0 i));};
(vkd3d_serialize_versioned_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_versioned_root_signature,856,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_create_versioned_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_versioned_root_signature_deserializer,857,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateSwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateSwapchainKHR,858,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySwapchainKHR,859,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetSwapchainImagesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetSwapchainImagesKHR,860,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkAcquireNextImageKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImageKHR,861,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i));};
(vkAcquireNextImage2KHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImage2KHR,862,(a0 0 i,a1 1 i,a2 2 i));};
(vkQueuePresentKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkQueuePresentKHR,863,(a0 0 i,a1 1 i));};
(vkCreateXcbSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXcbSurfaceKHR,864,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateXlibSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXlibSurfaceKHR,865,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateWaylandSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateWaylandSurfaceKHR,866,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySurfaceKHR,867,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceSupportKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceSupportKHR,868,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfaceCapabilitiesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceCapabilitiesKHR,869,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceFormatsKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceFormatsKHR,870,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfacePresentModesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfacePresentModesKHR,871,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateFence,872,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroyFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroyFence,873,(a0 0 i,a1 1 i,a2 2 i));};
(vkResetFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkResetFences,874,(a0 0 i,a1 1 i,a2 2 i));};
(vkWaitForFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkWaitForFences,875,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
}
