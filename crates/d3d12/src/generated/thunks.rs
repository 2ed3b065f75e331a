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
m_ 176,m_ 177,m_i 178,m_ 179,m_iii 180,m_iiii 181,m_iiii 182,m_i 183,m_i 184,m_i 185,m_i 186,m_i 187,m_ 188,m_i 189,m_i 190,m_i 191,
m_i 192,m_i 193,m_i 194,m_i 195,m_i 196,m_ 197,m_ 198,m_ii 199,m_i 200,m_ 201,m_i 202,m_i 203,m_i 204,m_i 205,m_ii 206,m_i 207,
m_ii 208,m_i 209,m_iii 210,m_iii 211,m_ii 212,m_iiii 213,m_ 214,m_ 215,m_ 216,m_ii 217,m_i 218,m_iiii 219,m_iiiii 220,m_iii 221,m_iiiii 222,m_iiiiii 223,
m_ii 224,m_iiiiii 225,m_iiiii 226,m_i 227,m_ii 228,m_ii 229,m_i 230,m_i 231,m_i 232,m_ii 233,m_i 234,m_ii 235,m_i 236,m_i 237,m_ii 238,m_ii 239,
m_iii 240,m_iii 241,m_iiii 242,m_iiii 243,m_ii 244,m_ii 245,m_ii 246,m_ii 247,m_ii 248,m_ii 249,m_i 250,m_iii 251,m_iii 252,m_iiii 253,m_iisiii 254,m_iiii 255,
m_iiiiii 256,m_iiiiii 257,m_ii 258,m_iii 259,m_iii 260,m_iiiiii 261,m_iii 262,m_iii 263,m_iii 264,m_ 265,m_iiiiii 266,m_iiiiiii 267,m_iiiiiii 268,m_ss 269,m_iii 270,m_iiiiiiiii 271,
m_i 272,m_iii 273,m_i 274,m_iiii 275,m_ 276,m_iii 277,m_iii 278,m_iii 279,m_iii 280,m_iii 281,m_i 282,m_i 283,m_ii 284,m_i 285,m_iii 286,m_ii 287,
m_ii 288,m_sss 289,m_i 290,m_i 291,m_i 292,m_i 293,m_ii 294,m_i 295,m_ 296,m_iii 297,m_ 298,m_ 299,m_ 300,m_ 301,m_ 302,m_ 303,
m_i 304,m_ii 305,m_ 306,m_ 307,m_ 308,m_i 309,m_ 310,m_ 311,m_i 312,m_ii 313,m_ 314,m_ 315,m_ 316,m_i 317,m_ 318,m_ 319,
m_iiii 320,m_ii 321,m_ii 322,m_ii 323,m_ii 324,m_i 325,m_i 326,m_i 327,m_i 328,m_ 329,m_iiii 330,m_i 331,m_i 332,m_i 333,m_i 334,m_i 335,
m_ii 336,m_ii 337,m_iii 338,m_iii 339,m_ii 340,m_i 341,m_i 342,m_ii 343,m_iiii 344,m_iiii 345,m_ 346,m_ii 347,m_iiii 348,m_i 349,m_ii 350,m_i 351,
m_i 352,m_ii 353,m_ 354,m_iii 355,m_ii 356,m_i 357,m_ 358,m_iiiii 359,m_iiiii 360,m_ii 361,m_ii 362,m_i 363,m_ 364,m_ii 365,m_ 366,m_i 367,
m_ 368,m_ii 369,m_iiii 370,m_ 371,m_iiii 372,m_iiii 373,m_ 374,m_i 375,m_i 376,m_i 377,m_i 378,m_ii 379,m_ii 380,m_ii 381,m_ii 382,m_i 383,
m_ii 384,m_ 385,m_ 386,m_ 387,m_ 388,m_ 389,m_ 390,m_ 391,m_i 392,m_iii 393,m_ 394,m_i 395,m_i 396,m_i 397,m_i 398,m_i 399,
m_i 400,m_i 401,m_i 402,m_ 403,m_ 404,m_ 405,m_i 406,m_i 407,m_i 408,m_i 409,m_ 410,m_ 411,m_i 412,m_iii 413,m_ii 414,m_i 415,
m_i 416,m_i 417,m_ii 418,m_iiii 419,m_iiii 420,m_iiiiii 421,m_iiii 422,m_iii 423,m_iiii 424,m_i 425,m_i 426,m_ 427,m_i 428,m_ii 429,m_iii 430,m_iii 431,
m_i 432,m_ii 433,m_iiii 434,m_ 435,m_i 436,m_ 437,m_ii 438,m_ 439,m_ii 440,m_ii 441,m_ 442,m_ 443,m_i 444,m_ 445,m_ii 446,m_ii 447,
m_iii 448,m_iii 449,m_iiiiii 450,m_iii 451,m_iii 452,m_iii 453,m_ 454,m_iii 455,m_iii 456,m_iii 457,m_i 458,m_iii 459,m_iii 460,m_ii 461,m_i 462,m_ii 463,
m_i 464,m_ii 465,m_iii 466,m_iii 467,m_iii 468,m_iiiiii 469,m_iiii 470,m_iiii 471,m_iiii 472,m_iiii 473,m_iiiiiii 474,m_iiiiii 475,m_iiiii 476,m_iii 477,m_iii 478,m_iii 479,
m_ 480,m_i 481,m_ 482,m_ii 483,m_ii 484,m_iii 485,m_iii 486,m_iiiiii 487,m_iii 488,m_iii 489,m_iii 490,m_ 491,m_iii 492,m_ii 493,m_iii 494,m_i 495,
m_iii 496,m_iii 497,m_iiii 498,m_ii 499,m_ii 500,m_iiii 501,m_ii 502,m_ii 503,m_ 504,m_ 505,m_ 506,m_b 507,m_b 508,m_ 509,m_ 510,m_ 511,
m_ 512,m_ 513,m_b 514,m_b 515,m_ 516,m_ii 517,m_ 518,m_i 519,m_ii 520,m_i 521,m_ii 522,m_i 523,m_ii 524,m_ 525,m_i 526,m_ 527,
m_ii 528,m_ii 529,m_iii 530,m_iii 531,m_iiiiii 532,m_iii 533,m_iii 534,m_iii 535,m_ 536,m_iiii 537,m_iii 538,m_iiii 539,m_i 540,m_iii 541,m_iii 542,m_ii 543,
m_ 544,m_ 545,m_ii 546,m_i 547,m_ii 548,m_ii 549,m_iii 550,m_ 551,m_i 552,m_i 553,m_i 554,m_iii 555,m_ib 556,m_ii 557,m_i 558,m_iii 559,
m_ib 560,m_ii 561,m_ii 562,m_ii 563,m_iii 564,m_i 565,m_ii 566,m_i 567,m_ii 568,m_i 569,m_i 570,m_ii 571,m_i 572,m_iii 573,m_iii 574,m_ii 575,
m_i 576,m_i 577,m_bi 578,m_ 579,m_ 580,m_ 581,m_iii 582,m_i 583,m_i 584,m_ii 585,m_i 586,m_i 587,m_ii 588,m_i 589,m_ 590,m_i 591,
m_iiiii 592,m_iii 593,m_i 594,m_i 595,m_i 596,m_i 597,m_iii 598,m_iii 599,m_i 600,m_ 601,m_iiii 602,m_iii 603,m_ii 604,m_ 605,m_i 606,m_ii 607,
m_ii 608,m_i 609,m_iii 610,m_ii 611,m_ii 612,m_ 613,m_ 614,m_iiiiii 615,m_iiiii 616,m_ii 617,m_iii 618,m_ii 619,m_i 620,m_iii 621,m_ii 622,m_i 623,
m_iiii 624,m_ 625,m_iii 626,m_ii 627,m_iii 628,m_iiii 629,m_ii 630,m_i 631,m_iiiii 632,m_iiiiii 633,m_bi 634,m_b 635,m_biii 636,m_b 637,m_b 638,m_b 639,
m_b 640,m_b 641,m_b 642,m_bi 643,m_bii 644,m_b 645,m_b 646,m_b 647,m_b 648,m_bi 649,m_b 650,m_b 651,m_bi 652,m_bii 653,m_b 654,m_b 655,
m_b 656,m_b 657,m_bi 658,m_b 659,m_b 660,m_biiii 661,m_ii 662,m_bii 663,m_bii 664,m_bii 665,m_bi 666,m_bi 667,m_bi 668,m_bi 669,m_b 670,m_ii 671,
m_i 672,m_iii 673,m_ii 674,m_iii 675,m_ii 676,m_i 677,m_iiii 678,m_iii 679,m_ 680,m_ii 681,m_ 682,m_i 683,m_i 684,m_i 685,m_i 686,m_i 687,
m_i 688,m_iiii 689,m_iii 690,m_i 691,m_ii 692,m_ 693,m_iii 694,m_iiii 695,m_iiiii 696,m_i 697,m_i 698,m_i 699,m_iii 700,m_iii 701,m_iii 702,m_iiii 703,
m_i 704,m_ 705,m_ 706,m_i 707,m_i 708,m_i 709,m_i 710,m_ii 711,m_iiii 712,m_i 713,m_ii 714,m_ 715,m_ii 716,m_i 717,m_iii 718,m_ii 719,
m_iii 720,m_ii 721,m_ii 722,m_i 723,m_iiiii 724,m_i 725,m_i 726,m_i 727,m_i 728,m_i 729,m_i 730,m_i 731,m_ii 732,m_iii 733,m_ 734,m_i 735,
m_i 736,m_i 737,m_i 738,m_i 739,m_ii 740,m_ii 741,m_i 742,m_i 743,m_ 744,m_i 745,m_i 746,m_ 747,m_ii 748,m_i 749,m_iiiiiii 750,m_iii 751,
m_i 752,m_i 753,m_iii 754,f_iiii 755,f_ii 756,f_iii 757,f_iiii 758,f_iiii 759,f_iii 760,f_iiii 761,f_iiii 762,f_ii 763,f_ii 764,f_iii 765,f_iii 766,f_ 767,
f_ 768,f_iiiii 769,f_iii 770,f_iii 771,f_iiiii 772,f_ 773,f_i 774,f_ii 775,f_i 776,f_ii 777,f_i 778,f_i 779,f_i 780,f_iii 781,f_i 782,f_i 783,
f_i 784,f_i 785,f_i 786,f_i 787,f_i 788,f_iii 789,f_i 790,f_i 791,f_iiii 792,f_iiii 793,f_i 794,f_i 795,f_iii 796,f_iiii 797,f_iiii 798,f_iii 799,
f_iiii 800,f_iiiiii 801,f_iii 802,f_ii 803,f_iiii 804,f_iiii 805,f_iiii 806,f_iii 807,f_iiii 808,f_iii 809,f_iiii 810,f_iiii 811,f_iiii 812,f_iii 813,f_iii 814,f_iiiii 815,

}
#[macro_export]
#[doc(hidden)]
macro_rules! export_named {
(D3D12CreateDevice,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDevice,755,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12GetDebugInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetDebugInterface,756,(a0 0 i,a1 1 i));};
(D3D12GetInterface,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12GetInterface,757,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12EnableExperimentalFeatures,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12EnableExperimentalFeatures,758,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeRootSignature,759,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12SerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12SerializeVersionedRootSignature,760,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateRootSignatureDeserializer,761,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(D3D12CreateVersionedRootSignatureDeserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializer,762,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(CreateDXGIFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory,763,(a0 0 i,a1 1 i));};
(CreateDXGIFactory1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory1,764,(a0 0 i,a1 1 i));};
(CreateDXGIFactory2,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,CreateDXGIFactory2,765,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIGetDebugInterface1,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIGetDebugInterface1,766,(a0 0 i,a1 1 i,a2 2 i));};
(DXGIDeclareAdapterRemovalSupport,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDeclareAdapterRemovalSupport,767,());};
(DXGIDisableVBlankVirtualization,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,DXGIDisableVBlankVirtualization,768,());};
(D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary,769,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(D3D12CompilerCreateFactory,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerCreateFactory,770,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CompilerSerializeVersionedRootSignature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CompilerSerializeVersionedRootSignature,771,(a0 0 i,a1 1 i,a2 2 i));};
(D3D12CreateDeviceVKD3D,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,D3D12CreateDeviceVKD3D,772,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
(vkd3d_create_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_event,773,());};
(vkd3d_signal_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_signal_event,774,(a0 0 i));};
(vkd3d_wait_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_wait_event,775,(a0 0 i,a1 1 i));};
(vkd3d_destroy_event,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_destroy_event,776,(a0 0 i));};
(vkd3d_create_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_instance,777,(a0 0 i,a1 1 i));};
(vkd3d_instance_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_decref,778,(a0 0 i));};
(vkd3d_instance_get_vk_instance,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_get_vk_instance,779,(a0 0 i));};
(vkd3d_instance_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_incref,780,(a0 0 i));};
(vkd3d_create_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_device,781,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_get_device_parent,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_device_parent,782,(a0 0 i));};
(vkd3d_get_vk_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_device,783,(a0 0 i));};
(vkd3d_get_vk_physical_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_physical_device,784,(a0 0 i));};
(vkd3d_instance_from_device,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_instance_from_device,785,(a0 0 i));};
(vkd3d_get_vk_queue_family_index,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_queue_family_index,786,(a0 0 i));};
(vkd3d_acquire_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_acquire_vk_queue,787,(a0 0 i));};
(vkd3d_release_vk_queue,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_release_vk_queue,788,(a0 0 i));};
(vkd3d_create_image_resource,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_image_resource,789,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_resource_decref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_decref,790,(a0 0 i));};
(vkd3d_resource_incref,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_resource_incref,791,(a0 0 i));};
(vkd3d_serialize_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_root_signature,792,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_create_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_root_signature_deserializer,793,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkd3d_get_vk_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_vk_format,794,(a0 0 i));};
(vkd3d_get_dxgi_format,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_get_dxgi_format,795,(a0 0 i));};
(vkd3d_serialize_versioned_root_signature,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_serialize_versioned_root_signature,796,(a0 0 i,a1 1 i,a2 2 i));};
(vkd3d_create_versioned_root_signature_deserializer,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkd3d_create_versioned_root_signature_deserializer,797,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateSwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateSwapchainKHR,798,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySwapchainKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySwapchainKHR,799,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetSwapchainImagesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetSwapchainImagesKHR,800,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkAcquireNextImageKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImageKHR,801,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i,a5 5 i));};
(vkAcquireNextImage2KHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkAcquireNextImage2KHR,802,(a0 0 i,a1 1 i,a2 2 i));};
(vkQueuePresentKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkQueuePresentKHR,803,(a0 0 i,a1 1 i));};
(vkCreateXcbSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXcbSurfaceKHR,804,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateXlibSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateXlibSurfaceKHR,805,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateWaylandSurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateWaylandSurfaceKHR,806,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroySurfaceKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroySurfaceKHR,807,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceSupportKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceSupportKHR,808,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfaceCapabilitiesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceCapabilitiesKHR,809,(a0 0 i,a1 1 i,a2 2 i));};
(vkGetPhysicalDeviceSurfaceFormatsKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfaceFormatsKHR,810,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkGetPhysicalDeviceSurfacePresentModesKHR,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkGetPhysicalDeviceSurfacePresentModesKHR,811,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkCreateFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkCreateFence,812,(a0 0 i,a1 1 i,a2 2 i,a3 3 i));};
(vkDestroyFence,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkDestroyFence,813,(a0 0 i,a1 1 i,a2 2 i));};
(vkResetFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkResetFences,814,(a0 0 i,a1 1 i,a2 2 i));};
(vkWaitForFences,$h:ty,$($a:tt)*)=>{$crate::export_as!($h,$($a)*,vkWaitForFences,815,(a0 0 i,a1 1 i,a2 2 i,a3 3 i,a4 4 i));};
}
