/** Reads the account of the smoke test from the environment. Problems are listed together, and never quote a value. */
import {
  settingFaults,
  valueFaults,
} from '../../packages/server/src/domains/routing/provider-accounts/connector-input.ts'
import {
  connectorConfig,
  requireMatchingConfig,
} from '../../packages/server/src/providers/connector-config.ts'
import type {
  ConnectorConfig,
  Provider,
  Setup,
  SetupField,
} from '../../packages/server/src/providers/contract.ts'
import type { ConnectorName } from '../../packages/server/src/providers/provider-names.ts'
import { type Cards, type CardTexts, type CardUse, cardsOf, cardUses, sandboxCards } from './cards.ts'

export type Environment = Readonly<Record<string, string | undefined>>
type Values = Readonly<Record<string, string>>

export type SmokeAccount = {
  readonly config: ConnectorConfig
  readonly cards: Cards
  readonly currency: string
}

/** Providers only check that the URL is public. The smoke test receives no webhooks. */
const webhookUrl = 'https://example.com/switchyard-provider-smoke'

const cardVariables: { readonly [Use in CardUse]: string } = {
  approved: 'SMOKE_CARD',
  declined: 'SMOKE_CARD_DECLINED',
  challenged: 'SMOKE_CARD_3DS',
}

/** The account, or the problems with the variables. */
export function readAccount(
  provider: Provider<ConnectorConfig>,
  setup: Setup,
  environment: Environment,
): SmokeAccount | readonly string[] {
  const credentialFields = setup.credentials.filter(({ use }) => use === 'call')
  const settingFields = setup.settings.filter(({ required }) => required !== 'live')
  const credentials = valuesOf(credentialFields, environment)
  const settings = valuesOf(settingFields, environment)
  const cards = cardTextsIn(provider.id as ConnectorName, environment)
  const problems = [
    ...missingFields([...credentialFields, ...settingFields], { ...credentials, ...settings }),
    ...invalidValues(setup, credentials, settings),
    ...missingCards(setup, cards),
  ]
  if (problems.length > 0) return problems
  const baseUrl = environment.SMOKE_BASE_URL
  return accountOf(provider, setup, {
    credentials,
    settings,
    cards,
    ...(baseUrl ? { baseUrl } : {}),
    ...(environment.SMOKE_CURRENCY ? { currency: environment.SMOKE_CURRENCY } : {}),
  })
}

type AccountValues = {
  readonly credentials: Values
  readonly settings: Values
  readonly cards: CardTexts
  readonly baseUrl?: string
  readonly currency?: string
}

/** The mode is always `test`, so a live address is never called. */
export function accountOf(
  provider: Provider<ConnectorConfig>,
  setup: Setup,
  { credentials, settings, cards, baseUrl, currency = 'eur' }: AccountValues,
): SmokeAccount {
  const config = connectorConfig(setup, {
    mode: 'test',
    settings,
    baseUrl,
    webhookUrl,
    credentials: [credentials],
  })
  return {
    config: requireMatchingConfig(provider as Provider, config),
    cards: cardsOf(cards),
    currency: currency.toLowerCase(),
  }
}

const variableOf = (name: string) => `SMOKE_${name.toUpperCase()}`

function valuesOf(fields: readonly SetupField[], environment: Environment): Values {
  const entries = fields.map(({ name }) => [name, environment[variableOf(name)] ?? ''])
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

function missingFields(fields: readonly SetupField[], values: Values): readonly string[] {
  return fields
    .filter(({ name, required }) => required === true && values[name] === undefined)
    .map(({ name, label, help }) => `${variableOf(name)} is missing. ${label}: ${help}`)
}

/** Also detects live keys. */
function invalidValues(setup: Setup, credentials: Values, settings: Values): readonly string[] {
  return [...valueFaults(setup, 'test', credentials), ...settingFaults(setup, 'test', settings)]
    .filter(({ code }) => code !== 'required')
    .map(({ pointer, detail }) => `${variableOf(pointer.split('/').at(-1) ?? '')} ${detail}`)
}

function cardTextsIn(name: ConnectorName, environment: Environment): CardTexts {
  const texts = cardUses.map((use) => [use, environment[cardVariables[use]] || sandboxCards[name][use]])
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}

function missingCards({ name, cardData }: Setup, texts: CardTexts): readonly string[] {
  const kind = cardData === 'token' ? `A token of ${name}` : `A test card number, or a token of ${name},`
  const meanings: { readonly [Use in CardUse]: string } = {
    approved: 'for approved payments',
    declined: 'for a declined payment',
    challenged: 'for a payment with 3-D Secure',
  }
  return cardUses
    .filter((use) => texts[use] === undefined)
    .map((use) => `${cardVariables[use]} is missing. ${kind} ${meanings[use]}. Separate several by commas.`)
}
