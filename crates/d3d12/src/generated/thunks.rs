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
m_ii 0,m_ 1,m_ 2,m_i 3,m_ 4,m_ 5,m_ii 6,m_ 7,m_ 8,m_iiiiiiiiii 9,m_iiiiii 10,m_ii 11,m_iii 12,m_iii 13,m_ 14,m_ii 15,
m_ii 16,m_i 17,m_ii 18,m_i 19,m_i 20,m_i 21,m_i 22,m_i 23,m_i 24,m_iiiiiiiiiii 25,m_iiii 26,m_iiii 27,m_iii 28,m_iiiii 29,m_iiiiii 30,m_ii 31,
m_ii 32,m_iiii 33,m_iiiii 34,m_iiiii 35,m_ 36,m_i 37,m_ 38,m_iiii 39,m_iii 40,m_ii 41,m_iii 42,m_ii 43,m_iii 44,m_iiiiii 45,m_iii 46,m_ii 47,
m_ii 48,m_iiii 49,m_ii 50,m_ii 51,m_ii 52,m_i 53,m_iii 54,m_iii 55,m_iii 56,m_iii 57,m_i 58,m_i 59,m_iiii 60,m_iii 61,m_iii 62,m_ii 63,
m_i 64,m_i 65,m_i 66,m_iiii 67,m_ 68,m_ 69,m_i 70,m_i 71,m_i 72,m_i 73,m_i 74,m_i 75,m_ 76,m_i 77,m_i 78,m_iii 79,
m_i 80,m_ 81,m_iii 82,m_iii 83,m_iii 84,m_iii 85,m_iii 86,m_iii 87,m_iii 88,m_iii 89,m_iii 90,m_iii 91,m_i 92,m_ 93,m_i 94,m_iii 95,
m_iii 96,m_i 97,m_iii 98,m_iii 99,m_i 100,m_i 101,m_i 102,m_ 103,m_iii 104,m_iii 105,m_iii 106,m_iii 107,m_iiiiii 108,m_iii 109,m_iii 110,m_i 111,
m_iiiii 112,m_ii 113,m_iii 114,m_iiii 115,m_iii 116,m_iii 117,m_ii 118,m_iiiiiii 119,m_iiii 120,m_iiii 121,m_iii 122,m_iiiiiii 123,m_iii 124,m_iiiiiii 125,m_iiiii 126,m_iiiii 127,
m_iii 128,m_iii 129,m_ii 130,m_ii 131,m_iiii 132,m_ 133,m_iiiiiiii 134,m_iii 135,m_i 136,m_iiii 137,m_iiiiiii 138,m_i 139,m_iiii 140,m_iiiii 141,m_iii 142,m_iii 143,
m_iii 144,m_iii 145,m_iiiii 146,m_iiiii 147,m_iii 148,m_iiiiiiii 149,m_iiii 150,m_iiiiii 151,m_iiiii 152,m_iii 153,m_ 154,m_ii 155,m_iiiii 156,m_iiiiii 157,m_iii 158,m_ii 159,
m_ii 160,m_iiii 161,m_iiii 162,m_iii 163,m_iiiii 164,m_iiiiiiii 165,m_iiiiiii 166,m_iii 167,m_iiiiiiii 168,m_iii 169,m_ii 170,m_iiii 171,m_iiiiiiiiii 172,m_iiiiiiiii 173,m_iiiiiiii 174,m_ii 175,
m_iiiiiii 176,m_iiii 177,m_iiiiii 178,m_i 179,m_i 180,m_iii 181,m_iiii 182,m_ii 183,m_ii 184,m_iii 185,m_iii 186,m_iii 187,m_iiii 188,m_iiiii 189,m_ii 190,m_i 191,
m_ii 192,m_iii 193,m_iiii 194,m_iiiii 195,m_iii 196,m_i 197,m_iiiiiii 198,m_i 199,m_iii 200,m_ii 201,m_i 202,m_iii 203,m_iiiii 204,m_ 205,m_i 206,m_i 207,
m_i 208,m_i 209,m_i 210,m_i 211,m_iii 212,m_i 213,m_ 214,m_ 215,m_i 216,m_ 217,m_iii 218,m_iiii 219,m_iiii 220,m_i 221,m_i 222,m_i 223,
m_i 224,m_i 225,m_ 226,m_i 227,m_i 228,m_i 229,m_i 230,m_i 231,m_i 232,m_i 233,m_i 234,m_ 235,m_ 236,m_ii 237,m_i 238,m_ 239,
m_i 240,m_i 241,m_i 242,m_i 243,m_ii 244,m_i 245,m_ii 246,m_i 247,m_iii 248,m_iii 249,m_ii 250,m_iiii 251,m_ 252,m_ 253,m_ 254,m_ii 255,
m_i 256,m_iiii 257,m_iiiii 258,m_iii 259,m_iiiii 260,m_iiiiii 261,m_ii 262,m_iiiiii 263,m_iiiii 264,m_i 265,m_ii 266,m_ii 267,m_i 268,m_i 269,m_i 270,m_ii 271,
m_i 272,m_ii 273,m_i 274,m_i 275,m_ii 276,m_ii 277,m_iii 278,m_iii 279,m_iiii 280,m_iiii 281,m_ii 282,m_ii 283,m_ii 284,m_ii 285,m_ii 286,m_ii 287,
m_i 288,m_iii 289,m_iii 290,m_iiii 291,m_iisiii 292,m_iiii 293,m_iiiiii 294,m_iiiiii 295,m_ii 296,m_iii 297,m_iii 298,m_iiiiii 299,m_iii 300,m_iii 301,m_iii 302,m_ 303,
m_iiiiii 304,m_iiiiiii 305,m_iiiiiii 306,m_ss 307,m_iii 308,m_iiiiiiiii 309,m_i 310,m_iii 311,m_i 312,m_iiii 313,m_ 314,m_iii 315,m_iii 316,m_iii 317,m_iii 318,m_iii 319,
m_i 320,m_i 321,m_ii 322,m_i 323,m_iii 324,m_ii 325,m_ii 326,m_sss 327,m_i 328,m_i 329,m_i 330,m_i 331,m_iiiiii 332,m_iiiiiiiii 333,m_i 334,m_i 335,
m_ii 336,m_i 337,m_ 338,m_iii 339,m_ 340,m_ 341,m_ 342,m_ 343,m_ 344,m_ 345,m_i 346,m_ii 347,m_ 348,m_ 349,m_ 350,m_i 351,
m_ 352,m_ 353,m_i 354,m_ii 355,m_ 356,m_ 357,m_ 358,m_i 359,m_ 360,m_ 361,m_iiii 362,m_ii 363,m_ii 364,m_ii 365,m_ii 366,m_i 367,
m_i 368,m_i 369,m_i 370,m_ 371,m_iiii 372,m_i 373,m_i 374,m_i 375,m_i 376,m_i 377,m_ii 378,m_ii 379,m_iii 380,m_iii 381,m_ii 382,m_i 383,
m_i 384,m_ii 385,m_iiii 386,m_iiii 387,m_ 388,m_ii 389,m_iiii 390,m_i 391,m_ii 392,m_i 393,m_i 394,m_ii 395,m_ 396,m_iii 397,m_ii 398,m_i 399,
m_ 400,m_iiiii 401,m_iiiii 402,m_ii 403,m_ii 404,m_i 405,m_ 406,m_ii 407,m_ 408,m_i 409,m_ 410,m_ii 411,m_iiii 412,m_ 413,m_iiii 414,m_iiii 415,
m_ 416,m_i 417,m_i 418,m_i 419,m_i 420,m_ii 421,m_ii 422,m_ii 423,m_ii 424,m_i 425,m_ii 426,m_ 427,m_ 428,m_ 429,m_ 430,m_ 431,
m_ 432,m_ 433,m_i 434,m_iii 435,m_ 436,m_i 437,m_i 438,m_i 439,m_i 440,m_i 441,m_i 442,m_i 443,m_i 444,m_ 445,m_ 446,m_ 447,
m_i 448,m_i 449,m_i 450,m_i 451,m_ 452,m_ 453,m_i 454,m_iii 455,m_ii 456,m_i 457,m_i 458,m_i 459,m_ii 460,m_iiii 461,m_iiii 462,m_iiiiii 463,
m_iiii 464,m_iii 465,m_iiii 466,m_i 467,m_i 468,m_ 469,m_i 470,m_ii 471,m_iii 472,m_iii 473,m_i 474,m_ii 475,m_iiii 476,m_ 477,m_i 478,m_ 479,
m_ii 480,m_ 481,m_ii 482,m_ii 483,m_ 484,m_ 485,m_i 486,m_ 487,m_ii 488,m_ii 489,m_iii 490,m_iii 491,m_iiiiii 492,m_iii 493,m_iii 494,m_iii 495,
m_ 496,m_iii 497,m_iii 498,m_iii 499,m_i 500,m_iii 501,m_iii 502,m_ii 503,m_i 504,m_ii 505,m_i 506,m_ii 507,m_iii 508,m_iii 509,m_iii 510,m_iiiiii 511,
m_iiii 512,m_iiii 513,m_iiii 514,m_iiii 515,m_iiiiiii 516,m_iiiiii 517,m_iiiii 518,m_iii 519,m_iii 520,m_iii 521,m_ 522,m_i 523,m_ 524,m_ii 525,m_ii 526,m_iii 527,
m_iii 528,m_iiiiii 529,m_iii 530,m_iii 531,m_iii 532,m_ 533,m_iii 534,m_ii 535,m_iii 536,m_i 537,m_iii 538,m_iii 539,m_iiii 540,m_ii 541,m_ii 542,m_iiii 543,
m_ii 544,m_ii 545,m_ 546,m_ 547,m_ 548,m_b 549,m_b 550,m_ 551,m_ 552,m_ 553,m_ 554,m_ 555,m_b 556,m_b 557,m_ 558,m_ii 559,
m_ 560,m_i 561,m_ii 562,m_i 563,m_ii 564,m_i 565,m_ii 566,m_ 567,m_i 568,m_ 569,m_ii 570,m_ii 571,m_iii 572,m_iii 573,m_iiiiii 574,m_iii 575,
m_iii 576,m_iii 577,m_ 578,m_iiii 579,m_iii 580,m_iiii 581,m_i 582,m_iii 583,m_iii 584,m_ii 585,m_ 586,m_ 587,m_ii 588,m_i 589,m_ii 590,m_ii 591,
m_iii 592,m_ 593,m_i 594,m_i 595,m_i 596,m_iii 597,m_ib 598,m_ii 599,m_i 600,m_iii 601,m_ib 602,m_ii 603,m_ii 604,m_ii 605,m_iii 606,m_i 607,
m_ 608,m_ 609,m_iii 610,m_ii 611,m_i 612,m_ii 613,m_i 614,m_ii 615,m_i 616,m_i 617,m_ii 618,m_i 619,m_iii 620,m_iii 621,m_ii 622,m_i 623,
m_i 624,m_bi 625,m_ 626,m_ 627,m_ 628,m_iii 629,m_i 630,m_i 631,m_ii 632,m_i 633,m_i 634,m_ii 635,m_i 636,m_ 637,m_i 638,m_iiiii 639,
m_iii 640,m_i 641,m_i 642,m_i 643,m_i 644,m_iii 645,m_iii 646,m_i 647,m_ 648,m_iiii 649,m_iii 650,m_ii 651,m_ 652,m_i 653,m_ii 654,m_ii 655,
m_i 656,m_iii 657,m_ii 658,m_ii 659,m_ 660,m_ 661,m_iiiiii 662,m_iiiii 663,m_ii 664,m_iii 665,m_ii 666,m_i 667,m_iii 668,m_ii 669,m_i 670,m_iiii 671,
m_ 672,m_iii 673,m_ii 674,m_iii 675,m_iiii 676,m_ii 677,m_i 678,m_iiiii 679,m_iiiiii 680,m_bi 681,m_b 682,m_biii 683,m_b 684,m_b 685,m_b 686,m_b 687,
m_b 688,m_b 689,m_bi 690,m_bii 691,m_b 692,m_b 693,m_b 694,m_b 695,m_bi 696,m_b 697,m_b 698,m_bi 699,m_bii 700,m_b 701,m_b 702,m_b 703,
m_b 704,m_bi 705,m_b 706,m_b 707,m_biiii 708,m_ii 709,m_bii 710,m_bii 711,m_bii 712,m_bi 713,m_bi 714,m_bi 715,m_bi 716,m_b 717,m_ii 718,m_i 719,
m_iii 720,m_ii 721,m_iii 722,m_ii 723,m_i 724,m_iiii 725,m_iii 726,m_ 727,m_ii 728,m_ 729,m_i 730,m_i 731,m_i 732,m_i 733,m_i 734,m_i 735,
m_iiii 736,m_iii 737,m_i 738,m_ii 739,m_ 740,m_iii 741,m_iiii 742,m_iiiii 743,m_i 744,m_i 745,m_i 746,m_iii 747,m_iii 748,m_iii 749,m_iiii 750,m_i 751,
m_ 752,m_ 753,m_i 754,m_i 755,m_i 756,m_i 757,m_ii 758,m_iiii 759,m_i 760,m_ii 761,m_ 762,m_ii 763,m_i 764,m_iii 765,m_ii 766,m_iii 767,
m_ii 768,m_ii 769,m_i 770,m_iiiii 771,m_i 772,m_i 773,m_i 774,m_i 775,m_i 776,m_i 777,m_i 778,m_ii 779,m_iii 780,m_ 781,m_i 782,m_i 783,
m_i 784,m_i 785,m_i 786,m_ii 787,m_ii 788,m_i 789,m_i 790,m_ 791,m_i 792,m_i 793,m_ 794,m_ii 795,m_i 796,m_iiiiiii 797,m_iii 798,m_i 799,
m_i 800,m_iii 801,m_ii 802,m_ii 803,m_ii 804,m_ii 805,m_iii 806,m_i 807,m_ii 808,m_ii 809,m_iii 810,m_ 811,m_ 812,m_ 813,m_iii 814,m_i 815,
m_ii 816,m_i 817,m_iii 818,m_i 819,m_i 820,m_i 821,m_i 822,m_i 823,m_d 824,m_iii 825,m_iiiiii 826,f_iiii 827,f_ii 828,f_iii 829,f_iiii 830,f_iiii 831,
f_iii 832,f_iiii 833,f_iiii 834,f_ii 835,f_ii 836,f_iii 837,f_iii 838,f_ 839,f_ 840,f_iiiii 841,f_iii 842,f_iii 843,f_iiiii 844,f_ 845,f_i 846,f_ii 847,
f_i 848,f_ii 849,f_i 850,f_i 851,f_i 852,f_iii 853,f_i 854,f_i 855,f_i 856,f_i 857,f_i 858,f_i 859,f_i 860,f_iii 861,f_i 862,f_i 863,
f_iiii 864,f_iiii 865,f_i 866,f_i 867,f_iii 868,f_iiii 869,f_iiii 870,f_iii 871,f_iiii 872,f_iiiiii 873,f_iii 874,f_ii 875,f_iiii 876,f_iiii 877,f_iiii 878,f_iii 879,
f_iiii 880,f_iii 881,f_iiii 882,f_iiii 883,f_iiii 884,f_iii 885,f_iii 886,f_iiiii 887,
}
#[macro_export]
#[doc(hidden)]
macro_rules! export_named {
(D3D12CreateDevice,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDevice,827,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12GetDebugInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetDebugInterface,828,(a0 0 i,a1 1 i));};
(D3D12GetInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetInterface,829,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12EnableExperimentalFeatures,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12EnableExperimentalFeatures,830,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeRootSignature,831,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeVersionedRootSignature,832,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateRootSignatureDeserializer,833,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12CreateVersionedRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializer,834,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(CreateDXGIFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory,835,(a0 0 i,a1 1 i));};
(CreateDXGIFactory1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory1,836,(a0 0 i,a1 1 i));};
(CreateDXGIFactory2,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory2,837,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIGetDebugInterface1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIGetDebugInterface1,838,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIDeclareAdapterRemovalSupport,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDeclareAdapterRemovalSupport,839,());};
(DXGIDisableVBlankVirtualization,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDisableVBlankVirtualization,840,());};
(D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,841,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(D3D12CompilerCreateFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerCreateFactory,842,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CompilerSerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerSerializeVersionedRootSignature,843,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateDeviceVKD3D,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDeviceVKD3D,844,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(vkd3d_create_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_event,845,());};
(vkd3d_signal_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_signal_event,846,(a0 0 i));};
(vkd3d_wait_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_wait_event,847,(a0 0 i,a1 1 i));};
(vkd3d_destroy_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_destroy_event,848,(a0 0 i));};
(vkd3d_create_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_instance,849,(a0 0 i,a1 1 i));};
(vkd3d_instance_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_decref,850,(a0 0 i));};
(vkd3d_instance_get_vk_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_get_vk_instance,851,(a0 0 i));};
(vkd3d_instance_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_incref,852,(a0 0 i));};
(vkd3d_create_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_device,853,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_get_device_parent,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_device_parent,854,(a0 0 i));};
(vkd3d_get_vk_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_device,855,(a0 0 i));};
(vkd3d_get_vk_physical_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_physical_device,856,(a0 0 i));};
(vkd3d_instance_from_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_from_device,857,(a0 0 i));};
(vkd3d_get_vk_queue_family_index,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_queue_family_index,858,(a0 0 i));};
(vkd3d_acquire_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_acquire_vk_queue,859,(a0 0 i));};
(vkd3d_release_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_release_vk_queue,860,(a0 0 i));};
(vkd3d_create_image_resource,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_image_resource,861,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_resource_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_decref,862,(a0 0 i));};
(vkd3d_resource_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_incref,863,(a0 0 i));};
(vkd3d_serialize_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_root_signature,864,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_create_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_root_signature_deserializer,865,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_get_vk_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_format,866,(a0 0 i));};
(vkd3d_get_dxgi_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_dxgi_format,867,(a0 0 i));};
(vkd3d_serialize_versioned_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_versioned_root_signature,868,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_create_versioned_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_versioned_root_signature_deserializer,869,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateSwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateSwapchainKHR,870,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySwapchainKHR,871,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetSwapchainImagesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetSwapchainImagesKHR,872,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkAcquireNextImageKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImageKHR,873,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i));};
(vkAcquireNextImage2KHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImage2KHR,874,(a0 0 i,a1 1 i,a2 2 i));};
(vkQueuePresentKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkQueuePresentKHR,875,(a0 0 i,a1 1 i));};
(vkCreateXcbSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXcbSurfaceKHR,876,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateXlibSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXlibSurfaceKHR,877,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateWaylandSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateWaylandSurfaceKHR,878,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySurfaceKHR,879,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceSupportKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceSupportKHR,880,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfaceCapabilitiesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceCapabilitiesKHR,881,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceFormatsKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceFormatsKHR,882,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfacePresentModesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfacePresentModesKHR,883,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateFence,884,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroyFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroyFence,885,(a0 0 i,a1 1 i,a2 2 i));};
(vkResetFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkResetFences,886,(a0 0 i,a1 1 i,a2 2 i));};
(vkWaitForFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkWaitForFences,887,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
}
