// The facts of a connector as short strings, by the name of the fact. The page of the connector and the comparison of
// all connectors show the same strings.

import { operationKinds, type Resolution } from '../../../packages/server/src/providers/contract.ts'
import type { DocumentedConnector } from './documented-connector.ts'

export type Facts = Readonly<Record<string, string>>

const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')
const listOr = (values: readonly string[] | 'all') => (values === 'all' ? 'all' : codes(values))
export const codes = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ')

export function testsOf({ page: { sandboxTestedOn } }: DocumentedConnector): string {
  return sandboxTestedOn === null ? 'Tested offline' : `Tested against the sandbox on ${sandboxTestedOn}`
}

const features = [
  ['manualCapture', 'Authorize now, capture later'],
  ['multiCapture', 'Multiple captures'],
  ['partialRefund', 'Partial refunds'],
  ['threeDSecure', '3-D Secure'],
  ['offSession', 'Off-session payments'],
] as const

export function capabilityFacts(connector: DocumentedConnector): Facts {
  const { capabilities, defaultTerms, setup, vaultObstacle } = connector
  const { kinds, currencies, brands, countries, amount } = capabilities
  return {
    Operations: operationKinds.filter((kind) => kinds.includes(kind)).join(', '),
    'Card data': setup.cardData === 'token' ? 'tokens only' : 'card numbers or tokens',
    'Card vaults': vaultObstacle === null ? 'yes' : `no: ${vaultObstacle}`,
    ...Object.fromEntries(
      features.map(([feature, title]) => {
        const dependsOnSettings = capabilities[feature] !== defaultTerms.capabilities[feature]
        return [title, dependsOnSettings ? 'if enabled in the settings' : yesOrNo(capabilities[feature])]
      }),
    ),
    Currencies: currencies === 'all' ? 'all' : String(currencies.length),
    'Card brands': listOr(brands),
    Countries: listOr(countries),
    'Amount in minor units': amount === null ? 'any' : `${amount.min} to ${amount.max}`,
  }
}

export function resolutionFacts({ resolve, webhooks }: DocumentedConnector): Facts {
  const { replayHours, lookup, close } = resolve
  const signature = webhooks?.signature ?? 'none'
  return {
    'Request can be repeated': replayHours === 0 ? 'no' : `for ${durationOf(replayHours * 60)}`,
    Lookup: { reference: 'by our reference', provider_id: 'by the provider’s id', none: 'no' }[lookup],
    '“Not found” is conclusive': absenceOf(resolve),
    'Operation can be closed': yesOrNo(close),
    'Webhook reports every result': yesOrNo(resolve.webhook),
    'Webhook is trusted': signature === 'none' ? 'no, it triggers a lookup' : 'yes, it is signed',
    'After a payer action': resolve.completedByUs
      ? 'charged only when the payer returns'
      : 'the provider continues automatically',
  }
}

function absenceOf({ replayHours, absentIsFinalAfterMinutes: absent, neverAbsent = [] }: Resolution): string {
  if (absent === null) return 'never'
  const lastRequest = replayHours === 0 ? 'the request' : 'the last possible repeat'
  const exceptions = neverAbsent.length === 0 ? '' : `; never for ${neverAbsent.join(', ')}`
  return `${durationOf(absent)} after ${lastRequest}${exceptions}`
}

const signatures = {
  path_and_time: 'signed: body, address and time',
  time: 'signed: body and time',
  body: 'signed: body, without a time',
  none: 'not signed',
} as const

export function webhookFacts({ setup, webhooks }: DocumentedConnector): Facts {
  const { webhookEvents: events, webhookHelp } = setup
  const hosts = webhooks?.certificate?.hosts ?? []
  return {
    'Set-up': webhookHelp,
    Events: events.length === 0 ? 'none to select' : codes(events),
    Signature: signatures[webhooks?.signature ?? 'none'],
    ...(hosts.length === 0 ? {} : { Certificate: `fetched from ${hosts.join(', ')}` }),
  }
}

function durationOf(minutes: number): string {
  if (minutes % 1_440 === 0) return plural(minutes / 1_440, 'day')
  return minutes % 60 === 0 ? plural(minutes / 60, 'hour') : plural(minutes, 'minute')
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`
