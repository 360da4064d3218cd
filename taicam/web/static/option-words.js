// What the choices of the rulesets' options are called: Traditional Chinese first, English second.
import { ENGLISH } from "./words.js";

const CHOICES = {
  any: ["不限", "Any"], not_single: ["非獨聽", "No single wait"], two_sided: ["必為兩面聽", "Two-sided"],
  two_sided_only: ["只能是兩面聽", "Two-sided and nothing else"],
  "chrysanthemum-3": ["菊三竹四", "菊 3, 竹 4"], "bamboo-3": ["竹三菊四", "竹 3, 菊 4"],
  one_kind: ["只聽一種牌", "One kind of tile"], by_shape: ["看最後一組的形狀", "Shape of the last set"],
  until_own_discard: ["到自己打出一張為止", "Until the own discard"], same_tile: ["只限那張牌", "That tile only"],
  same_go_around: ["同一圈之內", "Same go-around"], off: ["不採用", "Off"], none: ["不採用", "None"],
  robbed: ["被搶的一家付", "The robbed player"], three: ["三家付", "All three"],
  nearest: ["近者一家胡", "The nearest wins"], all: ["全部胡", "All of them"],
  replayed: ["重打", "Replayed"], goes_on: ["續打", "Goes on"], dealer_passes: ["重打,莊家詐胡下莊", "Replayed, a dealer's passes the deal"],
  each: ["各計", "For each"], once: ["只計一次", "Once"], sets: ["須成副或成對", "Sets or pairs"],
  claimed: ["只限大明槓", "Claimed kongs"], claimed_and_added: ["加槓亦然", "Added kongs too"],
  recommended: ["常用", "Common play"], printed: ["照原文", "As printed"], swapped: ["對調", "Swapped"],
  flat: ["各一番", "One each"], base_and_extra: ["一番再加一番", "One, and one more"],
  beside_flowers: ["花另計", "Flowers beside it"], instead_of_flowers: ["不計花", "Instead of flowers"],
  nothing_else: ["全無番數才計", "Only where nothing counts"],
  concealed_five: ["五暗刻", "Five concealed triplets"], all_pungs: ["碰碰胡", "All triplets"], concealed_hand: ["門清", "Concealed hand"],
  table: ["枱面,連食糊牌", "Table, with the winning tile"], table_before: ["枱面,不連食糊牌", "Table, without it"], own: ["只計自己打出", "Own discards"],
  mixed_and_pure: ["有字與無字", "With and without honours"], outside_and_orphans: ["每副帶么九、全部么九", "In every set, in every tile"],
  both: ["並計", "Both"], not_ping: ["不計平糊", "No 平糊"],
  one_share: ["付一份", "One share"], three_shares: ["包付三份", "All three shares"],
  original: ["按原牌型", "By the shape"], one: ["按一個勒子", "One 勒子"],
  double: ["兩倍", "Doubles once"], extra: ["另付一份", "A settlement besides"], alone: ["只由承包者付", "Alone in their place"],
  after_nearest: ["最近胡者的下家", "After the nearest winner"],
  published: ["通行番數表", "The published table"],
  base: ["加底", "One base more"], fan: ["加番", "One 番 more"],
  feeder: ["引槓者付兩倍", "Its feeder pays 2"], everyone: ["家家有", "Everybody pays"],
  winner: ["胡牌者", "The winner"], stays: ["原莊", "Stays"],
  payers: ["付錢的人", "Those who pay"], single: ["一人四槓,或合計超過四組", "One player's four, or more in all"], total: ["只看合計", "The total"],
};
// Where one choice means something else in one option.
const OF = {
  "shanghai_several_winners.nearest": ["最近的胡牌者", "The nearest winner"],
  "yanpai_penalty_scope.all": ["所有眼牌的人", "All who locked"],
  "huangfan_multiplier.each": ["每荒一局再兩倍", "For each drawn game"],
  "zimo_mode.none": ["不加", "Nothing more"],
  "sichuan_fan_table.none": ["不計番", "No 番"],
};

/** The word for a choice; a number is its own. */
export function choiceName(key, choice) {
  const words = OF[`${key}.${choice}`] || CHOICES[choice];
  return words ? words[ENGLISH ? 1 : 0] : choice;
}
/** An option explained, without the marks of the texts it comes from. */
export function explained(option) {
  const plain = (text) => text.replaceAll(/[;,]?\s*\[\d{3}\] is silent/g, "").replaceAll(/(,?\s*as)?(\s+in)?\s*\[\d{3}\](\s*(and|,)\s*\[\d{3}\])*/g, "");
  return ENGLISH ? [plain(option.en), option.zh] : [option.zh, plain(option.en)];
}
