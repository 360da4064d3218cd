// The circumstances no camera sees, by flag: Traditional Chinese, English. A test holds them against the rulesets.
/** Offered first. */
export const FLAG_WORDS = {
  last_tile: ["海底撈月", "Last tile drawn"], last_tile_discard: ["河底撈魚", "Last discard"],
  kong_replacement: ["槓上開花", "Kong replacement"], kong_replacement_open: ["碰槓(大明槓)補牌", "Replacement after a claimed kong"],
  kong_replacement_added: ["加槓補牌", "Replacement after an added kong"], flower_replacement: ["補花", "Flower replacement"],
  kong_kong: ["槓上槓開花", "Win after two kongs in a row"], kong_kong_kong: ["槓上槓上槓開花", "Win after three kongs in a row"],
  dice_kong: ["開槓擲骰補牌", "Replacement by dice after a kong"],
  kong_discard: ["槓上炮", "Discard after a kong"], kong_discard_dice: ["擲骰補牌打出", "Discard of a replacement by dice"],
  rob_kong: ["搶槓", "Robbing a kong"], rob_concealed_kong: ["搶暗槓", "Robbing a concealed kong"],
  heavenly: ["天胡", "Heavenly hand"], earthly: ["地胡", "Earthly hand"], human: ["人胡", "Human hand"],
  initial: ["起手胡", "Win on the tiles as dealt"],
  ready_initial: ["天聽", "Ready from the deal"], ready_first_discard: ["地聽", "Ready at the first discard"],
  declared_ready: ["報聽", "Declared ready"], dealt_flowers: ["配牌花", "Flowers as dealt"],
  flower_win: ["八仙過海", "Eight flowers win"], eight_flowers: ["八花齊", "Eight flowers"],
  rob_flower: ["七搶一", "Seven robs one"], rob_flower_mode2: ["七搶一(後補)", "Seven robs one, later"],
  kaibao: ["開寶", "Kaibao"], huangfan: ["荒番", "After a drawn game"],
};
/** Rarer, and what broke a rule of play. */
export const RARE_WORDS = {
  hand_complete: ["手牌也成胡", "The hand is complete too"], first_draw: ["第一次摸牌", "First draw"],
  first_go_around: ["第一巡", "First go-around"],
  ready_initial_void: ["天聽失效", "Ready from the deal, void"], ready_first_discard_void: ["地聽失效", "First-discard ready, void"],
  not_locked: ["未眼牌", "Hand not locked"], passed_win_earlier: ["曾過水", "A win was passed earlier"],
  passed_win: ["過水未解", "Passed win not cleared"], passed_win_cleared: ["過水已解", "Passed win cleared"],
  passed_win_same_tile: ["漏胡同一張", "The same tile was passed"], passed_win_same_round: ["同圈過水", "Passed in this go-around"],
  after_claim: ["吃碰後", "Turn began with a claim"], ligu_disabled: ["不打嚦咕", "No ligu"],
  kong_from_upper: ["槓上家", "Kong from the upper player"],
  kong_after_claim: ["吃碰後接著槓", "Kong right after a claim"],
  concealed_kong_after_claimed: ["大明槓後接著暗槓", "Concealed kong after a claimed kong"],
  late_claim: ["末三張內吃碰槓", "Claim within the last three tiles"],
  claimed_tile_discarded: ["吃碰後打同張", "Discarded the tile just claimed"],
  rearranged_kong: ["換牌後暗槓", "Rearranged before a concealed kong"],
  own_exposed_tile: ["自己露過這張", "Winner had shown this tile"], duanqiao: ["斷橋", "Hand scattered when laid open"],
  wild_pair_wait: ["財神單吊", "Wildcard waits for its pair"], wild_in_chi: ["百搭在吃裡", "Wildcard in a chow"],
  wild_in_pon: ["碰了百搭", "Wildcard in a pung"],
};
