/* SPDX-License-Identifier: MIT */
void register_work(int (*work)(void));
