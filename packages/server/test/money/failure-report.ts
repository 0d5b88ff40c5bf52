// A readable failure report: a numbered list of steps, and the command that reproduces it.

import type { BillingScenario } from './billing-scenario.ts'
import type { Kind } from './scenario-kinds.ts'
import type { Failure } from './shrink.ts'

const capabilitiesText: Readonly<Record<string, string>> = {
  all: 'Simulators support replay, lookup and close.',
  no_replay: 'Simulators do not support replay.',
  no_lookup: 'Simulators do not support lookup.',
  no_close: 'Simulators do not support close.',
  lookup_only: 'Simulators support lookup only.',
  close_only: 'Simulators support close only.',
}
const endingText: Readonly<Record<string, string>> = {
  providers_recover: 'Then the providers recover, and time passes until no work is due.',
  until_authorizations_expire:
    'Then the providers recover, and time passes until every authorization has expired.',
  outage: 'Then both providers stay unavailable, and time passes until no work is due.',
}

function customerText({ card, credit, onClock }: BillingScenario): string {
  const clock = onClock ? ', on a test clock' : ''
  return ` The customer has a card with the outcome "${card}" and ${credit} of credit${clock}.`
}

export function failureReport({ scenario, result, failsEachTime }: Failure): string {
  const webhooks = scenario.webhooks === 'off' ? '' : ` Webhooks: ${scenario.webhooks}.`
  return [
    `The providers are ${scenario.accounts.join(' and ')}. ${capabilitiesText[scenario.capabilities]}${webhooks}${scenario.kind === 'billing' ? customerText(scenario) : ''}`,
    ...result.lines.map((line) => `  ${line}`),
    `${endingText[scenario.ending]}${scenario.kind === 'payments' && scenario.isReconciled ? ' Settlement reports are imported.' : ''}`,
    ...result.violations.map((violation) => `  ✗ ${violation}`),
    ...(failsEachTime ? [] : ['It does not fail every time: it depends on timing.']),
  ].join('\n')
}

type FailedScenario = {
  readonly kind: Kind
  readonly seed: number
  readonly index: number
  readonly shards: number
}

export function reproduceCommand({ kind, seed, index, shards }: FailedScenario): string {
  const layout = shards > 1 ? ` --shards ${shards}` : ''
  return `npm run test:money -- --kind ${kind} --seed ${seed} --only ${index}${layout}`
}
