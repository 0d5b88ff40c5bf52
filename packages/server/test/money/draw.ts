// Draws stories. Each has a subject, so that what it is about happens often in it: faults that were spread evenly
// over all stories would rarely meet.

import { type Chance, chanceOf } from './chance.ts'
import { aTurn, limitSteps } from './draw-routes.ts'
import type { Act, Fate, Pay, Request, Step, Story, Terms, Webhooks } from './story.ts'

type Subject = 'plain' | 'crash' | 'freeze' | 'race' | 'outage' | 'webhooks' | 'payer' | 'routes' | 'limits'

// biome-ignore format: tables.
const subjects = [[8, 'plain'], [26, 'crash'], [20, 'freeze'], [22, 'race'], [10, 'outage'], [8, 'webhooks'], [6, 'payer'],
  [14, 'routes'], [5, 'limits']] as const
// biome-ignore format: tables.
const terms: readonly (readonly [number, Terms])[] =
  [[60, 'all'], [10, 'no_replay'], [8, 'no_lookup'], [8, 'no_close'], [6, 'lookup_only'], [8, 'close_only']]
// biome-ignore format: tables.
const cards: readonly (readonly [number, string])[] = [
  [60, 'approve'],
  [5, '5001'], [4, '5002'], [5, '5003'], [7, '5004'], [5, '5005'], [3, '5006'], [3, '5007'], [3, '5015'], [3, '5018'], [4, '5019'],
  [3, '5008'], [3, '5009'], [2, '5010'], [2, '3004'], [3, 'decline:05'], [3, 'decline:91'], [2, 'decline:51'], [1, 'decline:14'], [1, 'advice:03'],
  [3, '3000'], [1, '3001'], [1, '3002'], [1, '3003'],
  [2, '5011'], [2, '5012'], [2, '5013'], [2, '5014'], [4, '5016'], [3, '5017'], [2, '5020'],
  [3, '6001'], [4, '6002'], [3, '6003'], [3, '6004'], [3, '6005'], [4, '6006'],
]
// biome-ignore format: tables.
const freezes = [[1, 30], [6, 75], [1, 700], [1, 4_000]] as const
// biome-ignore format: tables.
const presses = [[6, 'approve'], [1, 'fail'], [1, 'leave']] as const
const challenging = ['3000', '3001', '3003']
const amounts = [1, 500, 1000, 1299] as const
const waits = [3, 12, 30, 75, 75, 75, 700, 1_900, 90_000] as const

type Pen = {
  readonly chance: Chance
  readonly subject: Subject
  readonly steps: Step[]
  readonly paid: Pay[]
  requests: number
}

export function drawStory(seed: number, place: number): Story {
  const chance = chanceOf(seed, place)
  const subject = chance.weighed(subjects)
  const pen: Pen = { chance, subject, steps: [], paid: [], requests: 0 }
  const payments = chance.weighed([
    [70, 1],
    [27, 2],
    [3, 3],
  ])
  if (subject === 'limits') pen.steps.push(...limitSteps(chance, (payment) => aPay(pen, payment)))
  else {
    for (let payment = 1; payment <= payments; payment += 1) {
      begin(pen, payment)
      goOn(pen)
    }
  }
  const drawn = chance.weighed(terms)
  return {
    // A provider that can only be looked at leaves one gap open: a sender that was frozen for an hour.
    terms: subject === 'freeze' && drawn === 'lookup_only' ? 'close_only' : drawn,
    webhooks: webhooksFor(pen),
    ends: chance.weighed([
      [88, 'healed'],
      [8, 'after_the_hold'],
      [4, 'in_outage'],
    ]),
    steps: pen.steps,
  }
}

function webhooksFor({ chance, subject }: Pen): Webhooks {
  if (subject === 'webhooks') return chance.one(['on', 'twice', 'reordered'] as const)
  return chance.isTrue(0.85) ? 'off' : chance.one(['on', 'twice', 'reordered'] as const)
}

function begin(pen: Pen, payment: number): void {
  const { chance, subject, steps, paid } = pen
  if (subject === 'outage' && chance.isTrue(0.6)) steps.push(aTrouble(pen))
  if (subject === 'routes') turn(pen)
  const pay = aPay(pen, payment)
  paid.push(pay)
  if (subject === 'routes' && chance.isTrue(0.35)) steps.push({ do: 'together', acts: [pay, aTurn(chance)] })
  else if (subject === 'race' && pay.order !== null && chance.isTrue(0.5)) {
    const rival: Pay = { ...pay, ...asked(pen, payment + 10), fate: null }
    paid.push(rival)
    steps.push({ do: 'together', acts: [pay, rival] })
  } else steps.push(pay)
  afterwards(pen, pay)
}

function aPay(pen: Pen, payment: number): Pay {
  const { chance, subject } = pen
  return {
    ...asked(pen, payment),
    do: 'pay',
    amount: chance.one(amounts),
    capture: chance.isTrue(0.45) ? 'manual' : 'automatic',
    card: cardFor(subject, chance),
    by: chance.isTrue(0.12) ? 'token' : 'method',
    order: chance.isTrue(0.25) ? 'A' : null,
    initiator: chance.isTrue(0.08) ? 'merchant' : 'customer',
    routed: chance.isTrue(subject === 'routes' ? 0.9 : 0.4),
  }
}

/** After these another account is asked, at once or when the first has closed it. */
const cascading = ['5008', '5009', '5001', 'decline:05', 'decline:91'] as const

function cardFor(subject: Subject, chance: Chance): string {
  if (subject === 'payer') return chance.one(challenging)
  return subject === 'routes' && chance.isTrue(0.4) ? chance.one(cascading) : chance.weighed(cards)
}

/** None, one or two things change about where payments go. */
function turn({ chance, steps }: Pen): void {
  for (const share of [0.7, 0.35]) if (chance.isTrue(share)) steps.push(aTurn(chance))
}

/** How the story goes on after the payment was asked for. */
function goOn(pen: Pen): void {
  const { chance, steps, subject } = pen
  const more = chance.weighed([
    [20, 0],
    [35, 1],
    [25, 2],
    [15, 3],
    [5, 5],
  ])
  for (let step = 0; step < more; step += 1) {
    if (subject === 'outage' && chance.isTrue(0.3)) steps.push(aTrouble(pen))
    if (subject === 'routes' && chance.isTrue(0.3)) steps.push(aTurn(chance))
    const together = chance.isTrue(subject === 'race' ? 0.55 : 0.06)
    if (together) steps.push({ do: 'together', acts: rivals(pen) })
    else another(pen)
  }
}

function rivals(pen: Pen): Act[] {
  const { chance } = pen
  const acts = [anAct(pen), anAct(pen)]
  if (chance.isTrue(0.25)) acts.push(anAct(pen))
  if (chance.isTrue(0.25)) acts.push({ do: 'work', beside: false, fate: null })
  return acts
}

function another(pen: Pen): void {
  const { chance, steps } = pen
  if (chance.isTrue(0.25)) {
    passTime(pen, chance.one(waits))
    return
  }
  const act = anAct(pen)
  steps.push(act)
  if ('fate' in act && act.do !== 'work') afterwards(pen, act)
}

/** What went wrong has to be met by time and by work, or it shows nothing. */
function afterwards(pen: Pen, { fate, impatient, id }: Request): void {
  const { chance, steps, subject } = pen
  if (fate?.is === 'freezes') {
    thaw(pen)
    return
  }
  if (fate !== null && chance.isTrue(0.4)) passTime(pen, 75)
  if ((fate !== null || impatient) && chance.isTrue(0.35)) steps.push({ do: 'repeat', of: id })
  if (impatient && chance.isTrue(0.5)) passTime(pen, chance.one([3, 25, 75]))
  if (subject === 'webhooks' && chance.isTrue(0.3)) passTime(pen, chance.one([3, 12]))
}

function thaw(pen: Pen): void {
  const { chance, steps } = pen
  steps.push({ do: 'wait', seconds: chance.weighed(freezes) })
  const awake: Act = { do: 'wake' }
  const work: Act = { do: 'work', beside: false, fate: null }
  if (chance.isTrue(0.35)) {
    steps.push({ do: 'together', acts: [awake, work] })
    return
  }
  steps.push(work)
  if (chance.isTrue(0.3)) passTime(pen, chance.one([12, 75]))
  if (chance.isTrue(0.8)) steps.push(awake)
}

function passTime({ chance, steps, subject }: Pen, seconds: number): void {
  steps.push({ do: 'wait', seconds })
  const fate = chance.isTrue(0.3) ? workersFate(subject, chance) : null
  if (chance.isTrue(0.85))
    steps.push({ do: 'work', beside: chance.isTrue(subject === 'race' ? 0.4 : 0.05), fate })
}

function workersFate(subject: Subject, chance: Chance): Fate {
  if (subject === 'freeze') return { is: 'freezes' }
  return subject === 'crash' ? aFate(chance) : null
}

function anAct(pen: Pen): Act {
  const { chance, paid, subject } = pen
  const { payment, capture, amount, id, card } = chance.one(paid)
  const held = capture === 'manual'
  const part = () =>
    chance.isTrue(0.4) ? null : Math.max(1, Math.floor(amount * chance.one([0.3, 0.5, 0.7, 1.1])))
  const kind = chance.weighed([
    [held ? 30 : 2, 'capture'],
    [held ? 14 : 5, 'cancel'],
    [26, 'refund'],
    [challenging.includes(card) ? 40 : 0, 'return'],
    [8, 'repeat'],
    [4, 'get'],
    [subject === 'webhooks' ? 20 : 1, 'forge'],
  ] as const)
  switch (kind) {
    case 'capture':
      return { ...asked(pen, payment), do: 'capture', amount: part(), final: chance.isTrue(0.5) }
    case 'cancel':
      return { ...asked(pen, payment), do: 'cancel' }
    case 'refund':
      return { ...asked(pen, payment), do: 'refund', amount: part() }
    case 'return':
      return { do: 'return', payment, pressed: chance.weighed(presses) }
    case 'repeat':
      return { do: 'repeat', of: id }
    case 'get':
      return { do: 'get', payment }
    case 'forge':
      return { do: 'forge', payment }
  }
}

function asked(pen: Pen, payment: number) {
  const { chance, subject } = pen
  pen.requests += 1
  const fate = fateIn(subject, chance)
  const twice =
    fate?.is !== 'freezes' && fate?.is !== 'loses_commit' && chance.isTrue(subject === 'race' ? 0.3 : 0.02)
  return { id: pen.requests, payment, fate, twice, impatient: fate === null && chance.isTrue(0.07) }
}

function fateIn(subject: Subject, chance: Chance): Fate {
  if (subject === 'freeze') return chance.isTrue(0.6) ? { is: 'freezes' } : null
  if (subject === 'crash') return chance.isTrue(0.6) ? aFate(chance) : null
  if (subject === 'routes') return chance.isTrue(0.25) ? aFate(chance) : null
  return null
}

function aFate(chance: Chance): Fate {
  const is = chance.weighed([
    [3, 'dies_after_commit'],
    [2, 'loses_commit'],
    [2, 'dies_before_sending'],
    [3, 'dies_after_answer'],
  ] as const)
  if (is === 'dies_after_commit' || is === 'loses_commit') return { is, nth: 1 + chance.below(2) }
  return { is }
}

function aTrouble({ chance }: Pen): Step {
  const account = chance.isTrue(0.7) ? 0 : 1
  const trouble = chance.weighed([
    [3, { outage: true, outage_manner: 'plain' }],
    [2, { outage: true, outage_manner: 'silence' }],
    [2, { outage: true, outage_manner: 'reset' }],
    [2, { outage: true, outage_manner: 'hang_up' }],
    [3, { outage: false }],
    [1, { webhooks: 'off' }],
    [1, { webhooks: 'twice' }],
    [1, { latency_ms: 5 }],
  ] as const)
  return { do: 'provider', account, trouble }
}
