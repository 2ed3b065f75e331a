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
m_ 48,m_ 49,m_i 50,m_i 51,m_i 52,m_i 53,m_i 54,m_i 55,m_ 56,m_i 57,m_i 58,m_iii 59,m_i 60,m_ 61,m_iii 62,m_iii 63,
m_iii 64,m_iii 65,m_iii 66,m_iii 67,m_iii 68,m_iii 69,m_iii 70,m_iii 71,m_i 72,m_ 73,m_i 74,m_iii 75,m_iii 76,m_i 77,m_iii 78,m_iii 79,
m_i 80,m_i 81,m_i 82,m_ 83,m_iii 84,m_iii 85,m_iii 86,m_iii 87,m_iiiiii 88,m_iii 89,m_iii 90,m_i 91,m_iiiii 92,m_ii 93,m_iii 94,m_iiii 95,
m_iii 96,m_iii 97,m_ii 98,m_iiiiiii 99,m_iiii 100,m_iiii 101,m_iii 102,m_iiiiiii 103,m_iii 104,m_iiiiiii 105,m_iiiii 106,m_iiiii 107,m_iii 108,m_iii 109,m_ii 110,m_ii 111,
m_iiii 112,m_ 113,m_iiiiiiii 114,m_iii 115,m_i 116,m_iiii 117,m_iiiiiii 118,m_i 119,m_iiii 120,m_iiiii 121,m_iii 122,m_iii 123,m_iii 124,m_iii 125,m_iiiii 126,m_iiiii 127,
m_iii 128,m_iiiiiiii 129,m_iiii 130,m_iiiiii 131,m_iiiii 132,m_iii 133,m_ 134,m_ii 135,m_iiiii 136,m_iiiiii 137,m_iii 138,m_ii 139,m_ii 140,m_iiii 141,m_iiii 142,m_iii 143,
m_iiiii 144,m_iiiiiiii 145,m_iiiiiii 146,m_iii 147,m_iiiiiiii 148,m_iii 149,m_ii 150,m_iiii 151,m_iiiiiiiiii 152,m_iiiiiiiii 153,m_iiiiiiii 154,m_ii 155,m_iiiiiii 156,m_iiii 157,m_iiiiii 158,m_i 159,
m_i 160,m_iii 161,m_iiii 162,m_ii 163,m_ii 164,m_iii 165,m_iii 166,m_iii 167,m_iiii 168,m_iiiii 169,m_ii 170,m_i 171,m_ii 172,m_iii 173,m_iiii 174,m_iiiii 175,
m_iii 176,m_i 177,m_iiiiiii 178,m_i 179,m_iii 180,m_ii 181,m_i 182,m_ 183,m_ 184,m_i 185,m_ 186,m_iii 187,m_iiii 188,m_iiii 189,m_i 190,m_i 191,
m_i 192,m_i 193,m_i 194,m_ 195,m_i 196,m_i 197,m_i 198,m_i 199,m_i 200,m_i 201,m_i 202,m_i 203,m_ 204,m_ 205,m_ii 206,m_i 207,
m_ 208,m_i 209,m_i 210,m_i 211,m_i 212,m_ii 213,m_i 214,m_ii 215,m_i 216,m_iii 217,m_iii 218,m_ii 219,m_iiii 220,m_ 221,m_ 222,m_ 223,
m_ii 224,m_i 225,m_iiii 226,m_iiiii 227,m_iii 228,m_iiiii 229,m_iiiiii 230,m_ii 231,m_iiiiii 232,m_iiiii 233,m_i 234,m_ii 235,m_ii 236,m_i 237,m_i 238,m_i 239,
m_ii 240,m_i 241,m_ii 242,m_i 243,m_i 244,m_ii 245,m_ii 246,m_iii 247,m_iii 248,m_iiii 249,m_iiii 250,m_ii 251,m_ii 252,m_ii 253,m_ii 254,m_ii 255,
m_ii 256,m_i 257,m_iii 258,m_iii 259,m_iiii 260,m_iisiii 261,m_iiii 262,m_iiiiii 263,m_iiiiii 264,m_ii 265,m_iii 266,m_iii 267,m_iiiiii 268,m_iii 269,m_iii 270,m_iii 271,
m_ 272,m_iiiiii 273,m_iiiiiii 274,m_iiiiiii 275,m_ss 276,m_iii 277,m_iiiiiiiii 278,m_i 279,m_iii 280,m_i 281,m_iiii 282,m_ 283,m_iii 284,m_iii 285,m_iii 286,m_iii 287,
m_iii 288,m_i 289,m_i 290,m_ii 291,m_i 292,m_iii 293,m_ii 294,m_ii 295,m_sss 296,m_i 297,m_i 298,m_i 299,m_i 300,m_ii 301,m_i 302,m_ 303,
m_iii 304,m_ 305,m_ 306,m_ 307,m_ 308,m_ 309,m_ 310,m_i 311,m_ii 312,m_ 313,m_ 314,m_ 315,m_i 316,m_ 317,m_ 318,m_i 319,
m_ii 320,m_ 321,m_ 322,m_ 323,m_i 324,m_ 325,m_ 326,m_iiii 327,m_ii 328,m_ii 329,m_ii 330,m_ii 331,m_i 332,m_i 333,m_i 334,m_i 335,
m_ 336,m_iiii 337,m_i 338,m_i 339,m_i 340,m_i 341,m_i 342,m_ii 343,m_ii 344,m_iii 345,m_iii 346,m_ii 347,m_i 348,m_i 349,m_ii 350,m_iiii 351,
m_iiii 352,m_ 353,m_ii 354,m_iiii 355,m_i 356,m_ii 357,m_i 358,m_i 359,m_ii 360,m_ 361,m_iii 362,m_ii 363,m_i 364,m_ 365,m_iiiii 366,m_iiiii 367,
m_ii 368,m_ii 369,m_i 370,m_ 371,m_ii 372,m_ 373,m_i 374,m_ 375,m_ii 376,m_iiii 377,m_ 378,m_iiii 379,m_iiii 380,m_ 381,m_i 382,m_i 383,
m_i 384,m_i 385,m_ii 386,m_ii 387,m_ii 388,m_ii 389,m_i 390,m_ii 391,m_ 392,m_ 393,m_ 394,m_ 395,m_ 396,m_ 397,m_ 398,m_i 399,
m_iii 400,m_ 401,m_i 402,m_i 403,m_i 404,m_i 405,m_i 406,m_i 407,m_i 408,m_i 409,m_ 410,m_ 411,m_ 412,m_i 413,m_i 414,m_i 415,
m_i 416,m_ 417,m_ 418,m_i 419,m_iii 420,m_ii 421,m_i 422,m_i 423,m_i 424,m_ii 425,m_iiii 426,m_iiii 427,m_iiiiii 428,m_iiii 429,m_iii 430,m_iiii 431,
m_i 432,m_i 433,m_ 434,m_i 435,m_ii 436,m_iii 437,m_iii 438,m_i 439,m_ii 440,m_iiii 441,m_ 442,m_i 443,m_ 444,m_ii 445,m_ 446,m_ii 447,
m_ii 448,m_ 449,m_ 450,m_i 451,m_ 452,m_ii 453,m_ii 454,m_iii 455,m_iii 456,m_iiiiii 457,m_iii 458,m_iii 459,m_iii 460,m_ 461,m_iii 462,m_iii 463,
m_iii 464,m_i 465,m_iii 466,m_iii 467,m_ii 468,m_i 469,m_ii 470,m_i 471,m_ii 472,m_iii 473,m_iii 474,m_iii 475,m_iiiiii 476,m_iiii 477,m_iiii 478,m_iiii 479,
m_iiii 480,m_iiiiiii 481,m_iiiiii 482,m_iiiii 483,m_iii 484,m_iii 485,m_iii 486,m_ 487,m_i 488,m_ 489,m_ii 490,m_ii 491,m_iii 492,m_iii 493,m_iiiiii 494,m_iii 495,
m_iii 496,m_iii 497,m_ 498,m_iii 499,m_ii 500,m_iii 501,m_i 502,m_iii 503,m_iii 504,m_iiii 505,m_ii 506,m_ii 507,m_iiii 508,m_ii 509,m_ii 510,m_ 511,
m_ 512,m_ 513,m_b 514,m_b 515,m_ 516,m_ 517,m_ 518,m_ 519,m_ 520,m_b 521,m_b 522,m_ 523,m_ii 524,m_ 525,m_i 526,m_ii 527,
m_i 528,m_ii 529,m_i 530,m_ii 531,m_ 532,m_i 533,m_ 534,m_ii 535,m_ii 536,m_iii 537,m_iii 538,m_iiiiii 539,m_iii 540,m_iii 541,m_iii 542,m_ 543,
m_iiii 544,m_iii 545,m_iiii 546,m_i 547,m_iii 548,m_iii 549,m_ii 550,m_ 551,m_ 552,m_ii 553,m_i 554,m_ii 555,m_ii 556,m_iii 557,m_ 558,m_i 559,
m_i 560,m_i 561,m_iii 562,m_ib 563,m_ii 564,m_i 565,m_iii 566,m_ib 567,m_ii 568,m_ii 569,m_ii 570,m_iii 571,m_i 572,m_ii 573,m_i 574,m_ii 575,
m_i 576,m_i 577,m_ii 578,m_i 579,m_iii 580,m_iii 581,m_ii 582,m_i 583,m_i 584,m_bi 585,m_ 586,m_ 587,m_ 588,m_iii 589,m_i 590,m_i 591,
m_ii 592,m_i 593,m_i 594,m_ii 595,m_i 596,m_ 597,m_i 598,m_iiiii 599,m_iii 600,m_i 601,m_i 602,m_i 603,m_i 604,m_iii 605,m_iii 606,m_i 607,
m_ 608,m_iiii 609,m_iii 610,m_ii 611,m_ 612,m_i 613,m_ii 614,m_ii 615,m_i 616,m_iii 617,m_ii 618,m_ii 619,m_ 620,m_ 621,m_iiiiii 622,m_iiiii 623,
m_ii 624,m_iii 625,m_ii 626,m_i 627,m_iii 628,m_ii 629,m_i 630,m_iiii 631,m_ 632,m_iii 633,m_ii 634,m_iii 635,m_iiii 636,m_ii 637,m_i 638,m_iiiii 639,
m_iiiiii 640,m_bi 641,m_b 642,m_biii 643,m_b 644,m_b 645,m_b 646,m_b 647,m_b 648,m_b 649,m_bi 650,m_bii 651,m_b 652,m_b 653,m_b 654,m_b 655,
m_bi 656,m_b 657,m_b 658,m_bi 659,m_bii 660,m_b 661,m_b 662,m_b 663,m_b 664,m_bi 665,m_b 666,m_b 667,m_biiii 668,m_ii 669,m_bii 670,m_bii 671,
m_bii 672,m_bi 673,m_bi 674,m_bi 675,m_bi 676,m_b 677,m_ii 678,m_i 679,m_iii 680,m_ii 681,m_iii 682,m_ii 683,m_i 684,m_iiii 685,m_iii 686,m_ 687,
m_ii 688,m_ 689,m_i 690,m_i 691,m_i 692,m_i 693,m_i 694,m_i 695,m_iiii 696,m_iii 697,m_i 698,m_ii 699,m_ 700,m_iii 701,m_iiii 702,m_iiiii 703,
m_i 704,m_i 705,m_i 706,m_iii 707,m_iii 708,m_iii 709,m_iiii 710,m_i 711,m_ 712,m_ 713,m_i 714,m_i 715,m_i 716,m_i 717,m_ii 718,m_iiii 719,
m_i 720,m_ii 721,m_ 722,m_ii 723,m_i 724,m_iii 725,m_ii 726,m_iii 727,m_ii 728,m_ii 729,m_i 730,m_iiiii 731,m_i 732,m_i 733,m_i 734,m_i 735,
m_i 736,m_i 737,m_i 738,m_ii 739,m_iii 740,m_ 741,m_i 742,m_i 743,m_i 744,m_i 745,m_i 746,m_ii 747,m_ii 748,m_i 749,m_i 750,m_ 751,
m_i 752,m_i 753,m_ 754,m_ii 755,m_i 756,m_iiiiiii 757,m_iii 758,m_i 759,m_i 760,m_iii 761,m_ii 762,m_ii 763,m_ii 764,m_ii 765,m_iii 766,m_i 767,
m_ii 768,m_ii 769,m_iii 770,m_ 771,m_ 772,m_ 773,m_iii 774,m_i 775,m_ii 776,m_i 777,m_iii 778,m_i 779,m_i 780,m_i 781,m_i 782,m_i 783,
m_d 784,m_iii 785,m_iiiiii 786,f_iiii 787,f_ii 788,f_iii 789,f_iiii 790,f_iiii 791,f_iii 792,f_iiii 793,f_iiii 794,f_ii 795,f_ii 796,f_iii 797,f_iii 798,f_ 799,
f_ 800,f_iiiii 801,f_iii 802,f_iii 803,f_iiiii 804,f_ 805,f_i 806,f_ii 807,f_i 808,f_ii 809,f_i 810,f_i 811,f_i 812,f_iii 813,f_i 814,f_i 815,
f_i 816,f_i 817,f_i 818,f_i 819,f_i 820,f_iii 821,f_i 822,f_i 823,f_iiii 824,f_iiii 825,f_i 826,f_i 827,f_iii 828,f_iiii 829,f_iiii 830,f_iii 831,
f_iiii 832,f_iiiiii 833,f_iii 834,f_ii 835,f_iiii 836,f_iiii 837,f_iiii 838,f_iii 839,f_iiii 840,f_iii 841,f_iiii 842,f_iiii 843,f_iiii 844,f_iii 845,f_iii 846,f_iiiii 847,

}
#[macro_export]
#[doc(hidden)]
macro_rules! export_named {
(D3D12CreateDevice,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDevice,787,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12GetDebugInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetDebugInterface,788,(a0 0 i,a1 1 i));};
(D3D12GetInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetInterface,789,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12EnableExperimentalFeatures,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12EnableExperimentalFeatures,790,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeRootSignature,791,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeVersionedRootSignature,792,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateRootSignatureDeserializer,793,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12CreateVersionedRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializer,794,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(CreateDXGIFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory,795,(a0 0 i,a1 1 i));};
(CreateDXGIFactory1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory1,796,(a0 0 i,a1 1 i));};
(CreateDXGIFactory2,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory2,797,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIGetDebugInterface1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIGetDebugInterface1,798,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIDeclareAdapterRemovalSupport,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDeclareAdapterRemovalSupport,799,());};
(DXGIDisableVBlankVirtualization,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDisableVBlankVirtualization,800,());};
(D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,801,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(D3D12CompilerCreateFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerCreateFactory,802,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CompilerSerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerSerializeVersionedRootSignature,803,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateDeviceVKD3D,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDeviceVKD3D,804,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(vkd3d_create_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_event,805,());};
(vkd3d_signal_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_signal_event,806,(a0 0 i));};
(vkd3d_wait_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_wait_event,807,(a0 0 i,a1 1 i));};
(vkd3d_destroy_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_destroy_event,808,(a0 0 i));};
(vkd3d_create_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_instance,809,(a0 0 i,a1 1 i));};
(vkd3d_instance_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_decref,810,(a0 0 i));};
(vkd3d_instance_get_vk_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_get_vk_instance,811,(a0 0 i));};
(vkd3d_instance_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_incref,812,(a0 0 i));};
(vkd3d_create_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_device,813,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_get_device_parent,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_device_parent,814,(a0 0 i));};
(vkd3d_get_vk_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_device,815,(a0 0 i));};
(vkd3d_get_vk_physical_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_physical_device,816,(a0 0 i));};
(vkd3d_instance_from_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_from_device,817,(a0 0 i));};
(vkd3d_get_vk_queue_family_index,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_queue_family_index,818,(a0 0 i));};
(vkd3d_acquire_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_acquire_vk_queue,819,(a0 0 i));};
(vkd3d_release_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_release_vk_queue,820,(a0 0 i));};
(vkd3d_create_image_resource,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_image_resource,821,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_resource_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_decref,822,(a0 0 i));};
(vkd3d_resource_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_incref,823,(a0 0 i));};
(vkd3d_serialize_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_root_signature,824,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_create_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_root_signature_deserializer,825,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_get_vk_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_format,826,(a0 0 i));};
(vkd3d_get_dxgi_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_dxgi_format,827,(a0 0 i));};
(vkd3d_serialize_versioned_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_versioned_root_signature,828,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_create_versioned_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_versioned_root_signature_deserializer,829,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateSwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateSwapchainKHR,830,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySwapchainKHR,831,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetSwapchainImagesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetSwapchainImagesKHR,832,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkAcquireNextImageKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImageKHR,833,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i));};
(vkAcquireNextImage2KHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImage2KHR,834,(a0 0 i,a1 1 i,a2 2 i));};
(vkQueuePresentKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkQueuePresentKHR,835,(a0 0 i,a1 1 i));};
(vkCreateXcbSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXcbSurfaceKHR,836,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateXlibSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXlibSurfaceKHR,837,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateWaylandSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateWaylandSurfaceKHR,838,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySurfaceKHR,839,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceSupportKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceSupportKHR,840,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfaceCapabilitiesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceCapabilitiesKHR,841,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceFormatsKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceFormatsKHR,842,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfacePresentModesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfacePresentModesKHR,843,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateFence,844,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroyFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroyFence,845,(a0 0 i,a1 1 i,a2 2 i));};
(vkResetFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkResetFences,846,(a0 0 i,a1 1 i,a2 2 i));};
(vkWaitForFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkWaitForFences,847,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
}
