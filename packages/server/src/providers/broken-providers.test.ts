// The suite is worth something only if it finds out providers that guess, leak or forget.

import { expect, test } from 'vitest'
import { conformanceOf, type Kit } from './conformance.ts'
import type { HttpCall, HttpReply, OperationInput, Outcome, Provider } from './contract.ts'
import { kit } from './custom/fixtures/kit.ts'
import { custom } from './custom/provider.ts'
import type { CustomConfig } from './custom/wire.ts'

type Custom = Provider<CustomConfig>
type Build = (input: OperationInput, context: { config: CustomConfig; now: Date }) => HttpCall
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

function faultsOf(provider: Custom, changed: Partial<Kit<CustomConfig>> = {}): string[] {
  return conformanceOf(provider, { ...kit, ...changed })
    .filter(({ fault }) => fault() !== null)
    .map(({ name }) => name)
}

const declined = { is: 'declined', decline: { code: 'generic_decline' } } as const
let calls = 0

// biome-ignore format: a table.
test.each<[string, Custom, RegExp]>([
  ['counts its calls',            building((call) => ({ ...call, url: `${call.url}?n=${calls++}` })),                       /golden/],
  ['changes what it was given',   building((call, input) => { (input as { description: string }).description = ''; return call }), /golden/],
  ['writes the time into a body', building((call, _, now) => ({ ...call, body: `${call.body}${now.getTime()}` })),          /an hour later/],
  ['writes members as they come', building((call, input) => ({ ...call, body: JSON.stringify({ ...input, money: 0 }) })),   /another order/],
  ['puts the card into the path', building((call, { instrument }) => ({ ...call, url: `https://psp.example.com/${(instrument as { cvc?: string })?.cvc ?? ''}` })), /secret|golden/],
  ['takes 500 for a decline',     parsing((reply, input) => (reply.status >= 500 ? declined : parse(reply, input))),        /by 500/],
  ['takes 402 for a decline',     parsing((reply, input) => (reply.status === 402 ? declined : parse(reply, input))),       /by 402/],
  ['takes silence for a refusal', parsing((reply, input) => (reply.body === '' ? { is: 'rejected', fault: { code: 'x', message: '' } } : parse(reply, input))), /nothing/],
  ['does not look at references', parsing((reply, input) => parse({ ...reply, body: reply.body.replace(/"reference":"[^"]*"/, `"reference":"${input.reference}"`) }, input)), /another reference/],
  ['believes in cents',           parsing((reply, input) => {
    const outcome = parse(reply, input)
    return outcome.is === 'succeeded' ? { ...outcome, money: { ...outcome.money, amount: outcome.money.amount / 100n } } : outcome
  }), /come back as they went/],
  ['answers what was asked',      parsing((reply, input) => {
    const outcome = parse(reply, input)
    return outcome.is === 'succeeded' ? { ...outcome, money: input.money } : outcome
  }), /another amount/],
  ['trusts every webhook',        verifying(() => 'valid'),                                                                 /with another body/],
  ['trusts no webhook',           verifying(() => 'invalid'),                                                               /genuine/],
  ['does not look at the time',   verifying((call, { config }) => custom.webhooks?.verify(call, { config, now: kit.now }) ?? 'invalid'), /late/],
  ['knows one secret',            verifying((call, { config, now }) => custom.webhooks?.verify(call, { config: { ...config, secrets: config.secrets.slice(0, 1) }, now }) ?? 'invalid'), /rotate/],
  ['cannot be asked',             { ...custom, resolve: { ...custom.resolve, replayHours: 0, lookup: 'none', close: false } }, /registered/],
])('a provider that %s is found out', (_, provider, found) => {
  expect(faultsOf(custom)).toEqual([])
  expect(faultsOf(provider).join('\n')).toMatch(found)
})

test('a provider without fixtures for what it does is found out', () => {
  const calls = kit.calls.filter(({ step }) => step !== 'refund' && step !== 'close')

  expect(faultsOf(custom, { calls })).toEqual(['every step has a golden call'])
})
