/**
 * Offline checks that every provider must pass with its fixtures. A provider that guesses can charge twice,
 * so most checks look for guesses. `checkProvider` tests a custom provider over HTTP.
 */
import { isDeepStrictEqual } from 'node:util'
import { callRecord, requestHash, secretsIn } from './call-record.ts'
import {
  type CompleteInput,
  type Found,
  type HttpCall,
  type HttpReply,
  type IncomingCall,
  type ListInput,
  type ListPage,
  type LookupInput,
  type OperationInput,
  operationKinds,
  type Provider,
  type ProviderEvent,
} from './contract.ts'
import { type AnyStep, type StepName, stepOf } from './perform.ts'
import { faultOf } from './registry.ts'

export type Kit<Config> = {
  readonly config: Config
  readonly now: Date
  /** Golden calls: at least one for every step of the provider. */
  readonly calls: readonly {
    readonly name: string
    readonly step: StepName
    readonly input: OperationInput | CompleteInput | LookupInput
    readonly call: HttpCall
  }[]
  /** Known responses, and the expected interpretation of each. */
  readonly replies: readonly Reply[]
  /** Pages of operations, for a provider that can list them: the call of each, its response, and its meaning. */
  readonly pages?: readonly Page[]
  /** The response that approves exactly this operation. */
  approve(input: OperationInput): HttpReply
  readonly webhook: {
    /** The webhook as received with `config`, at `now`. */
    readonly call: IncomingCall
    readonly events: readonly ProviderEvent[]
    /** Settings with a different secret. */
    readonly otherSecret: Config
    /** Settings during a rotation: the webhook was signed with the older secret. */
    readonly rotated: Config
    /** The certificate that signed the webhook, for providers that sign with one. */
    readonly certificate?: string | null
  } | null
}

export type Reply = {
  readonly name: string
  readonly step: StepName
  readonly input: unknown
  readonly reply: HttpReply
  readonly expected: Found
}

export type Page = {
  readonly input: ListInput
  readonly call: HttpCall
  readonly reply: HttpReply
  readonly expected: ListPage
}

export type Check = { readonly name: string; fault(): string | null }

export function conformanceOf<Config>(provider: Provider<Config>, kit: Kit<Config>): readonly Check[] {
  const untyped = provider as Provider
  const checks: Check[] = [
    { name: 'the provider can be registered', fault: () => faultOf(untyped) },
    { name: 'every step has a golden call', fault: () => missingCalls(untyped, kit) },
    ...kit.calls.flatMap((golden) => checksOfCall(untyped, kit, golden)),
    ...kit.replies.map((reply) => ({
      name: `the response "${reply.name}" is interpreted correctly`,
      fault: () => difference(interpret(untyped, reply), reply.expected),
    })),
    ...checksOfList(untyped, kit),
    ...checksOfMoney(untyped, kit),
    {
      name: 'a card vault can put the card number into the calls, or the provider states the obstacle',
      fault: () => faultOfVaultObstacle(untyped, kit),
    },
    ...(kit.webhook === null ? [] : checksOfWebhook(provider, kit, kit.webhook)),
  ]
  return checks.map(({ name, fault }) => ({ name, fault: () => faultOrException(fault) }))
}

/** An exception in the provider fails the check, not the suite. */
function faultOrException(fault: Check['fault']): string | null {
  try {
    return fault()
  } catch (error) {
    return String(error)
  }
}

/** The outcome of a response: unknown if the provider throws an exception. */
export function interpret(
  provider: Provider,
  { step, input, reply }: Omit<Reply, 'name' | 'expected'>,
): Found {
  try {
    return stepOf(provider, step).parse(reply, input) as Found
  } catch {
    return { is: 'unknown', fault: { code: 'answer_unreadable', message: '' } }
  }
}

/** The first page leads to the second, and a response that is not a list is not read as an empty one. */
function checksOfList<Config>({ list, accessToken }: Provider, { pages = [], ...kit }: Kit<Config>): Check[] {
  if (list === undefined)
    return pages.length === 0 ? [] : [{ name: 'list', fault: () => 'The provider has no `list` step.' }]
  const context = {
    config: deepFrozen(kit.config),
    now: kit.now,
    accessToken: accessToken === undefined ? null : 'access-token-1',
  }
  const [first, second] = pages
  const empty = { status: 200, headers: {}, body: '{}' }
  return [
    {
      name: 'list: the kit has two pages, and the first one leads to the second',
      fault: () => difference(second?.input, { ...first?.input, cursor: first?.expected.next }),
    },
    ...pages.flatMap(({ input, call, reply, expected }, index) => [
      {
        name: `list: the call of page ${index + 1} is the golden one`,
        fault: () => difference(list.build(deepFrozen(input), context), call),
      },
      {
        name: `list: page ${index + 1} is interpreted correctly`,
        fault: () => difference(list.parse(reply, input), expected),
      },
    ]),
    ...[empty, { ...(first?.reply ?? empty), status: 500 }].map((reply) => ({
      name: `list: a response with status ${reply.status} that is not a list is not read as one`,
      fault: () => faultUnlessThrown(() => list.parse(reply, { since: kit.now, cursor: null })),
    })),
  ]
}

function faultUnlessThrown(parse: () => ListPage): string | null {
  try {
    return `It was read as ${toText(parse())}.`
  } catch {
    return null
  }
}

function missingCalls<Config>(provider: Provider, { calls }: Kit<Config>): string | null {
  const steps = [...operationKinds.filter((kind) => provider.operations[kind]), 'complete', 'lookup', 'close']
  const missing = steps.filter(
    (step) => (step in provider || step in provider.operations) && !calls.some((call) => call.step === step),
  )
  return missing.length === 0 ? null : `There is no golden call for ${missing.join(', ')}.`
}

function checksOfCall<Config>(provider: Provider, kit: Kit<Config>, golden: Kit<Config>['calls'][number]) {
  const { name, step, input, call } = golden
  const build = (from: unknown, now: Date) =>
    (stepOf(provider, step) as AnyStep).build(deepFrozen(from), {
      config: deepFrozen(kit.config),
      now,
      accessToken: provider.accessToken === undefined ? null : 'access-token-1',
    })
  const check = (requirement: string, fault: Check['fault']): Check => ({
    name: `${name}: ${requirement}`,
    fault,
  })
  const anHourLater = new Date(kit.now.getTime() + 3_600_000)
  return [
    check('the call is the golden one', () => difference(build(input, kit.now), call)),
    check('members in a different order result in the same bytes', () =>
      difference(build(reversed(input), kit.now), call),
    ),
    check('a repeat an hour later is the same request', () => {
      const { headers: _, ...later } = build(input, anHourLater)
      const { headers: __, ...first } = call
      return difference(later, first)
    }),
    check('a repeat an hour later has the same idempotency key', () =>
      isOperation(step)
        ? difference(keysIn(build(input, anHourLater), input.reference), keysIn(call, input.reference))
        : null,
    ),
    check('the operation is named in the call', () => {
      const providerReference = 'providerReference' in input ? input.providerReference : null
      const names = [input.reference, providerReference ?? input.reference]
      return names.some((name) => JSON.stringify(call).includes(name))
        ? null
        : `${input.reference} is missing.`
    }),
    check('a repeat with a different access token is the same request', () => {
      const context = { config: kit.config, now: kit.now, accessToken: 'access-token-2' }
      const { headers: _, ...repeat } = (stepOf(provider, step) as AnyStep).build(input, context)
      const { headers: __, ...first } = call
      return difference(repeat, first)
    }),
    check('the stored record contains no secret', () => leakIn(kit.config, golden)),
  ]
}

function faultOfVaultObstacle<Config>(provider: Provider, kit: Kit<Config>): string | null {
  const problem = vaultProblem(provider, kit)
  const { vaultObstacle: stated } = provider
  if (problem !== null && stated === undefined) return `${problem} State it as vaultObstacle.`
  return problem === null && stated !== undefined ? 'The stated vaultObstacle does not exist.' : null
}

const standIns = [
  { number: 'NumberAaaaaaaaaaaaa1', cvc: 'SecurityAaaaaaaaaaa1' },
  { number: 'NumberBbbbbbbbbbbbb2', cvc: 'SecurityBbbbbbbbbbb2' },
] as const

/**
 * Why a vault cannot put a card number into the calls; null if it can. Builds each call twice, with two pairs
 * of stand-ins for the card. If replacing the stand-ins turns one call into the other, a vault can replace
 * them too. Calls that sign, encode or inspect a card number also differ elsewhere.
 */
export function vaultProblem<Config>(provider: Provider, kit: Kit<Config>): string | null {
  const withCard = kit.calls.filter(({ input }) => 'instrument' in input && input.instrument?.type === 'card')
  if (withCard.length === 0) return 'It has no call with a card number.'
  const [a, b] = standIns
  const problems = withCard.map(({ name, step, input }) => {
    const built = (parts: typeof a | typeof b) => {
      const instrument = { ...cardOfStandIns, ...parts }
      return stepOf(provider, step).build(
        { ...input, instrument },
        {
          config: kit.config,
          now: kit.now,
          accessToken: provider.accessToken === undefined ? null : 'access-token-1',
        },
      )
    }
    const withoutStandIns = ({ headers, ...call }: HttpCall): HttpCall => ({
      ...call,
      headers: Object.fromEntries(
        Object.entries(headers).filter(([header]) => !provider.standInHeaders?.includes(header)),
      ),
    })
    return problemOf(name, () => [withoutStandIns(built(a)), withoutStandIns(built(b))])
  })
  return problems.find((problem) => problem !== null) ?? null
}

const cardOfStandIns = {
  type: 'card',
  isStandIn: true,
  brand: 'visa',
  bin: '424242',
  last4: '4242',
  expMonth: 3,
  expYear: 2030,
} as const

function problemOf(name: string, build: () => readonly [HttpCall, HttpCall]): string | null {
  const [a, b] = standIns
  try {
    const [first, second] = build().map((call) => JSON.stringify(call)) as [string, string]
    if (!first.includes(a.number)) return `${name}: the card number is not in the call as text.`
    const replaced = first.replaceAll(a.number, b.number).replaceAll(a.cvc, b.cvc)
    return replaced === second ? null : `${name}: the call depends on the card number elsewhere.`
  } catch {
    return `${name}: the call cannot be built with a stand-in.`
  }
}

function isOperation(step: StepName): boolean {
  return (operationKinds as readonly string[]).includes(step)
}

/** The headers that contain our reference, such as the idempotency key. */
function keysIn({ headers }: HttpCall, reference: string): [string, string][] {
  return Object.entries(headers).filter(([, value]) => value.includes(reference))
}

function leakIn<Config>(config: Config, { input, call }: { input: unknown; call: HttpCall }) {
  const secrets = secretsIn(input, config)
  const hash = requestHash(call, Buffer.alloc(32))
  const stored = JSON.stringify({ ...callRecord(call, { hash, reply: null, secrets }), requestHash: '' })
  const leaks = [...secrets.everywhere, ...secrets.inMessages].filter((secret) => stored.includes(secret))
  // A CVC is short, and must not be in an address at all.
  return leaks.length === 0 ? null : `${leaks.length} secrets are in the address of the call.`
}

/** Currencies with two, zero and three decimal places; small and large amounts. */
const amounts = (['eur', 'jpy', 'kwd'] as const).flatMap((currency) =>
  [1n, 999n, 1000n, 123_456_789n, 999_999_999_999n].map((amount) => ({ amount, currency })),
)

function checksOfMoney<Config>(provider: Provider, kit: Kit<Config>): Check[] {
  const [golden] = kit.calls.filter(({ step }) => step === 'authorize')
  if (golden === undefined) return []
  const step = golden.step
  const input = golden.input as OperationInput
  const read = (approved: OperationInput) =>
    interpret(provider, { step, input, reply: kit.approve(approved) })
  return [
    ...amounts.map((money) => ({
      name: `${money.amount} ${money.currency} is returned unchanged`,
      fault: () => {
        const found = interpret(provider, {
          step,
          input: { ...input, money },
          reply: kit.approve({ ...input, money }),
        })
        return found.is === 'succeeded' ? difference(found.money, money) : `The outcome is ${found.is}.`
      },
    })),
    {
      name: 'the approval of a different reference approves nothing',
      fault: () => faultUnlessUnknown(read({ ...input, reference: 'another-reference-1' })),
    },
    {
      name: 'the approval of a different amount is reported with that amount',
      fault: () => {
        const money = { amount: input.money.amount + 1n, currency: input.money.currency }
        const found = read({ ...input, money })
        return found.is === 'succeeded' ? difference(found.money, money) : null
      },
    },
  ]
}

function checksOfWebhook<Config>(
  { webhooks }: Provider<Config>,
  { config, now }: Kit<Config>,
  { call, events, otherSecret, rotated, certificate = null }: NonNullable<Kit<Config>['webhook']>,
): Check[] {
  const parsed = {
    name: 'a webhook is parsed correctly',
    fault: () => difference(webhooks?.parse(call.body), events),
  }
  const signature = webhooks?.signature ?? 'none'
  const verifyWith = (changes: Partial<IncomingCall>, settings = config, seconds = 0) =>
    webhooks?.verify(
      { ...call, ...changes },
      { config: settings, now: new Date(now.getTime() + seconds * 1000), certificate },
    )
  type Verdict = 'valid' | 'invalid' | 'unsigned'
  const check = (name: string, expectedValue: Verdict, get: () => string | undefined): Check => ({
    name: `a webhook ${name} is ${expectedValue}`,
    fault: () => difference(get(), expectedValue),
  })
  const forged = Uint8Array.from(call.body, (byte, index) =>
    index === call.body.length - 3 ? byte ^ 1 : byte,
  )
  if (signature === 'none') return [check('that is genuine', 'unsigned', () => verifyWith({})), parsed]
  const signsTime = signature !== 'body'
  return [
    check('that is genuine', 'valid', () => verifyWith({})),
    check('while secrets rotate', 'valid', () => verifyWith({}, rotated)),
    check('with a different body', 'invalid', () => verifyWith({ body: forged })),
    ...(signature === 'path_and_time'
      ? [check('to a different address', 'invalid', () => verifyWith({ path: `${call.path}0` }))]
      : []),
    check('signed with a different secret', 'invalid', () => verifyWith({}, otherSecret)),
    ...(signsTime
      ? [
          check('that is late', 'invalid', () => verifyWith({}, config, 301)),
          check('from the future', 'invalid', () => verifyWith({}, config, -301)),
          check('without headers', 'invalid', () => verifyWith({ headers: {} })),
        ]
      : []),
    parsed,
  ]
}

function faultUnlessUnknown(found: Found): string | null {
  return found.is === 'unknown' ? null : `The outcome is ${found.is}.`
}

function difference(actual: unknown, expectedValue: unknown): string | null {
  return isDeepStrictEqual(actual, expectedValue)
    ? null
    : `${toText(actual)} is not ${toText(expectedValue)}.`
}

function toText(value: unknown): string {
  return (
    JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member)) ?? 'nothing'
  )
}

/** The same members in reverse order, as a database may return them. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

/** Providers that modify their input throw an exception. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) deepFrozen(member)
  return Object.freeze(value)
}
