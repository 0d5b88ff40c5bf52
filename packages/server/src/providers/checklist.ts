/**
 * The checklist of a connector: what must be filled in before the conformance suite is meaningful. Each check states
 * what is missing and in which file. A new connector fails most of them, so that none can be forgotten.
 */
import type { Check, Kit } from './conformance.ts'
import type { ConnectorPage } from './connector-page.ts'
import type { ConnectorConfig, Found, Provider } from './contract.ts'
import type { StepName } from './perform.ts'

type Connector = {
  readonly provider: Provider<ConnectorConfig>
  readonly kit: Kit<ConnectorConfig>
  readonly page: ConnectorPage
}

export function checklistOf(connector: Connector): readonly Check[] {
  return [...checksOfAccount(connector), ...checksOfReplies(connector), ...checksOfPage(connector)]
}

function checksOfAccount({ provider, kit }: Connector): readonly Check[] {
  const { setup, capabilities, webhooks, check } = provider
  const host = URL.parse(setup?.baseUrl('test', kit.config.settings) ?? '')?.hostname ?? '.invalid'
  const { currencies, kinds } = capabilities
  return [
    item(
      'setup: a credential for calls',
      setup?.credentials.some(({ use }) => use === 'call') ?? false,
      'Name the provider’s credentials in `setup` of provider.ts.',
    ),
    item(
      'setup: the provider’s base URL',
      !host.endsWith('.invalid'),
      'Return the address of the sandbox and of the live API from `baseUrl` in provider.ts.',
    ),
    item(
      'setup: a check of the credentials',
      check !== undefined,
      'Add `check` to provider.ts: a call that changes nothing.',
    ),
    item(
      'currencies: the supported ones',
      currencies === 'all' || currencies.length > 0,
      'List them in currencies.ts, with the decimal places that differ from ISO 4217.',
    ),
    item(
      'capabilities: authorize',
      kinds.includes('authorize'),
      'Add `authorize` to `kinds` in provider.ts, when its call and its responses are tested.',
    ),
    item(
      'currencies: a golden call without decimal places',
      !(currencies === 'all' || currencies.includes('jpy')) || kit.calls.some(isInYen),
      'Add an authorization in yen to the golden calls of fixtures/kit.ts: 1099 yen are not 10.99.',
    ),
    item(
      'webhooks: one in the kit',
      webhooks !== undefined && kit.webhook !== null,
      'Write `verify` and `parse` in webhooks.ts, and add a webhook to fixtures/kit.ts.',
    ),
  ]
}

function isInYen({ step, input }: Kit<ConnectorConfig>['calls'][number]): boolean {
  return step === 'authorize' && 'money' in input && input.money.currency === 'jpy'
}

/**
 * The outcomes that the known responses of each step must include. Each inner list needs only one of its
 * outcomes.
 */
const required: { readonly [Name in StepName]: readonly (readonly Found['is'][])[] } = {
  verify: [['succeeded']],
  authorize: [['succeeded'], ['declined'], ['rejected'], ['unknown']],
  capture: [['succeeded', 'pending']],
  void: [['succeeded', 'pending']],
  refund: [['succeeded', 'pending']],
  complete: [['succeeded'], ['unknown']],
  lookup: [['succeeded'], ['unknown']],
  close: [['closed'], ['unknown']],
}

/** The checks of the steps that the provider implements. */
function checksOfReplies({ provider, kit }: Connector): readonly Check[] {
  const { operations, complete, lookup, close } = provider
  const steps = { ...operations, complete, lookup, close }
  return (Object.keys(required) as StepName[])
    .filter((step) => steps[step] !== undefined)
    .flatMap((step) => required[step].map((outcomes) => checkOfReply(step, outcomes, kit.replies)))
}

function checkOfReply(
  step: StepName,
  outcomes: readonly Found['is'][],
  replies: Kit<ConnectorConfig>['replies'],
): Check {
  const outcome = outcomes.join(' or ')
  return item(
    `responses: ${step}, ${outcome}`,
    replies.some((reply) => reply.step === step && outcomes.includes(reply.expected.is)),
    `Add a response to ${step} with the outcome ${outcome} to fixtures/replies.ts, with its source and date.`,
  )
}

function checksOfPage({ page: { sources, declines } }: Connector): readonly Check[] {
  return [
    item(
      'declines: the table of codes',
      declines.some(({ codes }) => codes.length > 0),
      'Fill in the table of declines.ts.',
    ),
    item(
      'page: sources with dates',
      sources.length > 0 && sources.every(({ title, date }) => title !== '' && date !== ''),
      'Name the documents that you have used in `sources` of page.ts.',
    ),
  ]
}

function item(name: string, isDone: boolean, task: string): Check {
  return { name, fault: () => (isDone ? null : task) }
}
