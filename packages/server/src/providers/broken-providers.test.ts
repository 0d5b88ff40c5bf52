// The conformance suite must detect providers that guess, leak or lose data.

import { expect, test } from 'vitest'
import { conformanceOf, type Kit } from './conformance.ts'
import type { BuildContext, HttpCall, HttpReply, OperationInput, Outcome, Provider } from './contract.ts'
import { kit } from './custom/fixtures/kit.ts'
import { custom } from './custom/provider.ts'
import type { CustomConfig } from './custom/wire.ts'

type Custom = Provider<CustomConfig>
type Build = (input: OperationInput, context: BuildContext<CustomConfig>) => HttpCall
type Parse = (reply: HttpReply, input: OperationInput) => Outcome

const { build, parse } = custom.operations.authorize as { build: Build; parse: Parse }

function withAuthorize(changes: { build?: Build; parse?: Parse }): Custom {
  return { ...custom, operations: { ...custom.operations, authorize: { build, parse, ...changes } } }
}
const building = (change: (call: HttpCall, input: OperationInput, now: Date) => HttpCall) =>
  withAuthorize({ build: (input, context) => change(build(input, context), input, context.now) })
const parsing = (change: Parse) => withAuthorize({ parse: change })
const verifying = (verify: NonNullable<Custom['webhooks']>['verify']): Custom =>
  ({ ...custom, webhooks: { ...custom.webhooks, verify } }) as Custom

function faultsOf(provider: Custom, changes: Partial<Kit<CustomConfig>> = {}): string[] {
  return conformanceOf(provider, { ...kit, ...changes })
    .filter(({ fault }) => fault() !== null)
    .map(({ name }) => name)
}

const declined = { is: 'declined', decline: { code: 'generic_decline' } } as const
let calls = 0

// biome-ignore format: a table.
test.each<[string, Custom, RegExp]>([
  ['adds a counter to the URL',   building((call) => ({ ...call, url: `${call.url}?n=${calls++}` })),                       /golden/],
  ['modifies its input',          building((call, input) => { (input as { description: string }).description = ''; return call }), /golden/],
  ['writes the time into a body', building((call, _, now) => ({ ...call, body: `${call.body}${now.getTime()}` })),          /an hour later/],
  ['changes its key each hour',   building((call, input, now) => ({ ...call, headers: { ...call.headers, 'idempotency-key': `${input.reference}-${now.getUTCHours()}` } })), /same idempotency key/],
  ['does not sort members',       building((call, input) => ({ ...call, body: JSON.stringify({ ...input, money: 0 }) })),   /a different order/],
  ['puts the card into the path', building((call, { instrument }) => ({ ...call, url: `https://psp.example.com/${(instrument as { cvc?: string })?.cvc ?? ''}` })), /secret|golden/],
  ['treats 500 as a decline',     parsing((reply, input) => (reply.status >= 500 ? declined : parse(reply, input))),        /with status 500/],
  ['treats 402 as a decline',     parsing((reply, input) => (reply.status === 402 ? declined : parse(reply, input))),       /with status 402/],
  ['treats an empty body as a rejection', parsing((reply, input) => (reply.body === '' ? { is: 'rejected', fault: { code: 'x', message: '' } } : parse(reply, input))), /empty body/],
  ['ignores references',          parsing((reply, input) => parse({ ...reply, body: reply.body.replace(/"reference":"[^"]*"/, `"reference":"${input.reference}"`) }, input)), /a different reference/],
  ['divides amounts by 100',      parsing((reply, input) => {
    const outcome = parse(reply, input)
    return outcome.is === 'succeeded' ? { ...outcome, money: { ...outcome.money, amount: outcome.money.amount / 100n } } : outcome
  }), /returned unchanged/],
  ['reports the requested amount',parsing((reply, input) => {
    const outcome = parse(reply, input)
    return outcome.is === 'succeeded' ? { ...outcome, money: input.money } : outcome
  }), /a different amount/],
  ['trusts every webhook',        verifying(() => 'valid'),                                                                 /with a different body/],
  ['trusts no webhook',           verifying(() => 'invalid'),                                                               /genuine/],
  ['ignores the signature time',  verifying((call, context) => custom.webhooks?.verify(call, { ...context, now: kit.now }) ?? 'invalid'), /late/],
  ['accepts only one secret',     verifying((call, { config, ...context }) => custom.webhooks?.verify(call, { config: { ...config, secrets: config.secrets.slice(0, 1) }, ...context }) ?? 'invalid'), /rotate/],
  ['cannot resolve outcomes',     { ...custom, resolve: { ...custom.resolve, replayHours: 0, lookup: 'none', close: false } }, /registered/],
])('a provider that %s is detected', (_, provider, expectedFault) => {
  expect(faultsOf(custom)).toEqual([])
  expect(faultsOf(provider).join('\n')).toMatch(expectedFault)
})

test('a provider with missing fixtures is detected', () => {
  const calls = kit.calls.filter(({ step }) => step !== 'refund' && step !== 'close')

  expect(faultsOf(custom, { calls })).toEqual(['every step has a golden call'])
})
