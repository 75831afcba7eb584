# SPDX-License-Identifier: LGPL-2.1-or-later
#
# RFC 5348 as far as ns-2 can be set (its own defaults in brackets).
Agent/TFRC set tcp_tick_ 0.001          ;# RTO clock [0.1]
Agent/TFRC set df_ 0.9                  ;# q, 4.3 step 2 [0.95]
Agent/TFRC set bval_ 1                  ;# b, 3.1 [1]
Agent/TFRC set ca_ 1                    ;# X_inst by sqrt of RTT, 4.5 [1]
Agent/TFRC set SndrType_ 0              ;# always has data [0]
Agent/TFRC set oldCode_ false           ;# data-limited code, unused here [false]
Agent/TFRC set maxHeavyRounds_ 0        ;# X <= 2 X_recv at once [0]
Agent/TFRC set conservative_ 0          ;# not in the RFC [0]
Agent/TFRC set rate_init_option_ 2      ;# RFC 3390 initial rate [2]
Agent/TFRC set overhead_ 0              ;# no jitter of send times [0]
Agent/TFRCSink set algo_ 1              ;# average loss interval (WALI) [1]
Agent/TFRCSink set NumSamples_ -1       ;# n = 8 [-1]
Agent/TFRCSink set smooth_ 1            ;# RFC weights [1]
Agent/TFRCSink set discount_ 1          ;# 5.5 [1]
Agent/TFRCSink set minDiscountRatio_ 0.25 ;# THRESHOLD, 5.5 [0.5]
Agent/TFRCSink set NumFeedback_ 1       ;# reports per RTT [1]
Agent/TFRCSink set AdjustHistoryAfterSS_ 1 ;# first interval from the rate, 6.3.1 [1]
Agent/TFRCSink set PreciseLoss_ 1       ;# [1]
Agent/TFRCSink set ShortIntervals_ 0    ;# RFC 4828 off [0]
# NDUPACK is 3 in the RFC; ns-2's own note calls 3 buggy. No reordering here.
Agent/TFRCSink set numPkts_ 1           ;# [1]
