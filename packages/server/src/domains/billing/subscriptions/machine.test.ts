import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { allowedActions, nextTransition } from '../../../kernel/machine.ts'
import { type Facts, type Status, statuses, subscriptionMachine, type Trigger, triggers } from './machine.ts'

/** Has a payment method, had no trial, and has no scheduled change. */
const defaultFacts: Facts = {
  hasPaymentMethod: true,
  activationPolicy: 'on_payment',
  hadTrial: false,
  endBehaviour: 'activate',
  missingPaymentMethod: 'pause',
  timeLeft: 'paid',
  isOverdue: false,
  isResuming: false,
  hasScheduledPause: false,
  finalAction: 'pause',
}

const cells = grid<Status, Trigger>(`
  |           | pause  | resume   | cancel    | update   | trial_ended | paid   | activation_expired | period_ended | dunning_exhausted |
  | trialing  | paused | trialing | cancelled | trialing | trialing    | active | cancelled          | -            | -                 |
  | active    | paused | active   | cancelled | active   | -           | -      | -                  | active       | paused            |
  | paused    | paused | active   | cancelled | paused   | -           | paused | paused             | -            | paused            |
  | cancelled | -      | -        | -         | -        | -           | -      | -                  | -            | -                 |
`)

test.each(cells)('$row on $column: $cell', ({ row, column, cell }) => {
  const attempt = () =>
    nextTransition(subscriptionMachine, { state: row, trigger: column, facts: defaultFacts }).to
  if (cell === '-') expect(attempt).toThrow(/ cannot (be|get) /)
  else expect(attempt()).toBe(cell)
})

test('the grid has every state and every trigger', () => {
  expect(new Set(cells.map(({ row }) => row))).toEqual(new Set(statuses))
  expect(new Set(cells.map(({ column }) => column))).toEqual(new Set(triggers))
})

// biome-ignore format: a table.
test.each<[Status, Trigger, Partial<Facts>, Status, string]>([
  ['trialing', 'trial_ended',        { hadTrial: true, endBehaviour: 'pause' },                                                'paused',    'stop_clock'],
  ['trialing', 'trial_ended',        { hadTrial: true, endBehaviour: 'cancel' },                                               'cancelled', 'end'],
  ['trialing', 'trial_ended',        { hadTrial: true, hasPaymentMethod: false },                                              'paused',    'stop_clock'],
  ['trialing', 'trial_ended',        { hadTrial: true, hasPaymentMethod: false, missingPaymentMethod: 'cancel' },              'cancelled', 'end'],
  ['trialing', 'trial_ended',        { hadTrial: true, hasPaymentMethod: false, missingPaymentMethod: 'invoice' },             'active',    'begin_period'],
  ['trialing', 'trial_ended',        { hadTrial: true },                                                                       'trialing',  'open_activation'],
  // Without a trial there is no paused state to fall back to: the subscription waits for a card and for its
  // payment.
  ['trialing', 'trial_ended',        { hasPaymentMethod: false },                                                              'trialing',  'open_activation'],
  ['trialing', 'trial_ended',        { activationPolicy: 'on_attempt' },                                                       'active',    'begin_period'],
  ['trialing', 'activation_expired', { hadTrial: true },                                                                       'paused',    'void_invoice'],
  ['trialing', 'resume',             { hasScheduledPause: true },                                                              'trialing',  'drop_scheduled_pause'],
  ['active',   'resume',             { hasScheduledPause: true },                                                              'active',    'drop_scheduled_pause'],
  ['active',   'dunning_exhausted',  { finalAction: 'cancel' },                                                                'cancelled', 'end'],
  ['paused',   'dunning_exhausted',  { finalAction: 'cancel' },                                                                'cancelled', 'end'],
  ['paused',   'resume',             { timeLeft: 'trial' },                                                                    'trialing',  'continue_period'],
  ['paused',   'resume',             { isOverdue: true },                                                                           'paused',    'collect_overdue'],
  ['paused',   'resume',             { timeLeft: 'none' },                                                                     'paused',    'open_activation'],
  ['paused',   'paid',               { isResuming: true },                                                                     'active',    'finish_activation'],
])('%s on %s with %o: %s, %s', (state, trigger, changed, to, effect) => {
  const row = nextTransition(subscriptionMachine, { state, trigger, facts: { ...defaultFacts, ...changed } })
  expect(row.to).toBe(to)
  expect(row.effects).toContain(effect)
})

test('a dunning policy that keeps the subscription leaves it active', () => {
  const facts = { ...defaultFacts, finalAction: 'keep' } as const
  expect(
    nextTransition(subscriptionMachine, { state: 'active', trigger: 'dunning_exhausted', facts }),
  ).toMatchObject({
    to: 'active',
    effects: [],
  })
})

test('a refusal lists the allowed actions, and a cancelled subscription has none', () => {
  expect(allowedActions(subscriptionMachine, 'active', defaultFacts)).toEqual(['pause', 'cancel', 'update'])
  expect(allowedActions(subscriptionMachine, 'paused', defaultFacts)).toEqual([
    'pause',
    'resume',
    'cancel',
    'update',
  ])
  expect(allowedActions(subscriptionMachine, 'cancelled', defaultFacts)).toEqual([])
})
