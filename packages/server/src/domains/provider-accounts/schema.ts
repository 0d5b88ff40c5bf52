import { type Static, type TSchema, Type } from 'typebox'
import {
  IdOf,
  Metadata,
  MetadataChange,
  mostlyNull,
  nullable,
  OneOf,
  shownNullable,
  Time,
} from '../../kernel/shapes.ts'
import { operationKinds } from '../../providers/contract.ts'
import { toWire } from './capabilities.ts'
import { statuses } from './machine.ts'
import { cardDataKinds, type RevealedAccount, type ShownAccount } from './provider-account.ts'
import { HealthMembers, presentHealth } from './schema/health.ts'
import { providerNames, webhookManners } from './settings.ts'

const provider = OneOf(providerNames, {
  description:
    '`custom`: a provider of your own, which serves the protocol for that. `simulator`: knows the test cards and moves no money, in the test environment alone.',
  examples: ['custom'],
})
const displayName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A name for people.',
  examples: ['Our acquirer'],
})
const positionText = 'The default route asks accounts in this order, the lowest first.'
const positionAs = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000, description, examples: [1] })
const position = positionAs(positionText)
const cardData = OneOf(cardDataKinds, {
  description: '`pan`: it may be sent card numbers. `token`: it gets nothing but tokens that it made itself.',
})

const milliseconds = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))
const habit = (description: string) => Type.Optional(Type.Boolean({ description }))

const Config = Type.Object(
  {
    base_url: Type.Optional(
      Type.String({
        maxLength: 1_024,
        pattern: '^https?://[^\\u0000-\\u0020?#]+$',
        faultDetail: 'must be an address without a query, such as https://psp.example.com/switchyard',
        description: 'Of `custom`: the address under which it serves the calls of the protocol.',
      }),
    ),
    auth_rate: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'The share of good cards that it approves.' }),
    ),
    latency_ms: milliseconds(60_000, 'How long it takes to answer.'),
    outage: Type.Optional(
      Type.Object(
        { from_at: Time, until_at: Time },
        { additionalProperties: false, description: 'When it is out of service.' },
      ),
    ),
    replay: habit('Whether it answers a repeat as it did the first.'),
    lookup: habit('Whether it can be asked what became of something.'),
    lookup_lag_ms: milliseconds(3_600_000, 'How long a look does not find what is new.'),
    close: habit('Whether it can promise that something never happens.'),
    webhooks: Type.Optional(OneOf(webhookManners, { description: 'How it tells of changes.' })),
  },
  {
    additionalProperties: false,
    description: 'Of `custom`, its `base_url`. The other members say how the simulator behaves.',
    examples: [{ base_url: 'https://psp.example.com/switchyard' }],
  },
)

const kinds = Type.Array(OneOf(operationKinds), { maxItems: 5, description: 'What can be asked of it.' })
const words = (pattern: string, faultDetail: string, description: string) =>
  Type.Array(Type.String({ pattern, faultDetail, loggable: true }), {
    maxItems: 300,
    description: `${description} Null: all.`,
  })
const brands = words('^[a-z0-9_]{1,40}$', 'must be a brand in lower case, such as visa', 'Brands of cards.')
const currencies = words('^[a-z]{3}$', 'must be a currency in lower case, such as eur', 'In lower case.')
const countries = words('^[A-Z]{2}$', 'must be a country as two letters, such as GB', 'Countries of cards.')
const sum = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const amount = Type.Object(
  { min: sum('The least, in the smallest unit.'), max: sum('The most.') },
  { additionalProperties: false, description: 'The least and the most. Null: no limits.' },
)
const ability = (description: string) => Type.Boolean({ description, examples: [true] })
const manualCapture = ability('Whether an amount can be held first and taken later.')
const multiCapture = ability('Whether it can be taken in parts.')
const partialRefund = ability('Whether a part can be given back.')
const threeDSecure = ability('Whether the bank of a payer can be asked to confirm.')
const offSession = ability('Whether a payer can be charged while away.')

const CapabilitiesObject = Type.Object(
  {
    kinds,
    brands: nullable(brands),
    currencies: nullable(currencies),
    countries: nullable(countries),
    amount: nullable(amount),
    manual_capture: manualCapture,
    multi_capture: multiCapture,
    partial_refund: partialRefund,
    three_d_secure: threeDSecure,
    off_session: offSession,
  },
  {
    description: 'What can be done here: what the provider can, less what you do not want.',
    examples: [
      {
        kinds: [...operationKinds],
        ...{ brands: null, currencies: ['eur', 'gbp'], countries: null, amount: null },
        ...{ manual_capture: true, multi_capture: false, partial_refund: true },
        ...{ three_d_secure: true, off_session: true },
      },
    ],
  },
)

const wish = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))
const Narrowing = wish(
  Type.Object(
    {
      kinds: wish(kinds),
      brands: wish(brands),
      currencies: wish(currencies),
      countries: wish(countries),
      amount: wish(amount),
      manual_capture: wish(manualCapture),
      multi_capture: wish(multiCapture),
      partial_refund: wish(partialRefund),
      three_d_secure: wish(threeDSecure),
      off_session: wish(offSession),
    },
    {
      additionalProperties: false,
      description: 'What you want less of than the provider can do. Null takes a wish back.',
    },
  ),
)

const reason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Why, for people.',
  examples: ['Maintenance at the acquirer'],
})

const members = {
  id: IdOf('provider_account'),
  object: Type.Literal('provider_account'),
  provider,
  status: OneOf(statuses, {
    description: '`disabled`: no new payments, but captures and refunds go on. `archived`: for good.',
  }),
  display_name: displayName,
  position,
  config: Config,
  credentials: shownNullable(
    Type.Object(
      { set: Type.Literal(true), rotated_at: mostlyNull(Time) },
      {
        description:
          'Whether it has a secret, and when that was rotated. The secret itself is never shown again.',
      },
    ),
  ),
  card_data: cardData,
  hold: nullable(
    Type.Object(
      { reason, until_at: Time },
      { description: 'While it is held it gets no new payments; captures and refunds go on.' },
    ),
  ),
  health: HealthMembers,
  checked_at: mostlyNull(Time),
  check: nullable(
    Type.Object(
      {
        passed: Type.Boolean({ description: 'Whether it kept every promise.', examples: [true] }),
        faults: Type.Array(
          Type.Object({
            duty: Type.String({ description: 'What the protocol asks for.' }),
            detail: Type.String({ description: 'What it did instead.' }),
          }),
          { description: 'The promises that it broke.' },
        ),
      },
      { description: 'What the last check found. Null before the first, and after a change of `base_url`.' },
    ),
  ),
  webhook_url: Type.String({
    description: 'Where the provider tells us of changes.',
    examples: ['https://api.example.com/provider-webhooks/provider_account_01M7CYVGQTEAKSNTBFR026MPQ1'],
  }),
  capabilities: CapabilitiesObject,
  metadata: Metadata,
  created_at: Time,
  updated_at: Time,
}

export const ProviderAccountObject = Type.Object(members, {
  $id: 'ProviderAccount',
  description: 'Your account at a payment provider, and what it may be used for.',
})

export const RevealedAccountObject = Type.Object(
  {
    ...members,
    secret: nullable(
      Type.String({
        description:
          'What both sides sign with. All of it, with `psec_`, is the key. It is shown this once; a repeat of the request answers null, and so does the simulator, which knows it already.',
      }),
    ),
  },
  {
    $id: 'RevealedProviderAccount',
    description: 'A provider account with its secret, which no later answer shows.',
  },
)

export const ProviderAccountPath = Type.Object({ provider_account_id: IdOf('provider_account') })

export const CreateProviderAccount = Type.Object(
  {
    provider,
    display_name: displayName,
    config: Type.Optional(Config),
    card_data: Type.Optional(OneOf(cardDataKinds, { ...cardData, default: 'pan' })),
    capabilities: Narrowing,
    position: Type.Optional(positionAs(`${positionText} Without it, it is behind the last.`)),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateProviderAccount = Static<typeof CreateProviderAccount>

export const UpdateProviderAccount = Type.Object(
  {
    display_name: Type.Optional(displayName),
    config: Type.Optional(Config),
    capabilities: Narrowing,
    position: Type.Optional(position),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type UpdateProviderAccount = Static<typeof UpdateProviderAccount>

export const HoldProviderAccount = Type.Object(
  {
    reason,
    until_at: Type.String({
      ...Time,
      description: 'When it ends by itself. It must have an end: a hold that is forgotten is an outage.',
    }),
  },
  { additionalProperties: false },
)
export type HoldProviderAccount = Static<typeof HoldProviderAccount>

export function present(account: ShownAccount): Static<typeof ProviderAccountObject> {
  const { hold, check, secretRotatedAt } = account
  return {
    id: account.id,
    object: 'provider_account',
    provider: account.provider,
    status: account.status,
    display_name: account.displayName,
    position: account.position,
    config: account.settings,
    credentials: account.hasCredentials
      ? { set: true, rotated_at: secretRotatedAt?.toISOString() ?? null }
      : null,
    card_data: account.cardData,
    hold: hold === null ? null : { reason: hold.reason, until_at: hold.untilAt.toISOString() },
    health: presentHealth(account.health),
    checked_at: check?.at.toISOString() ?? null,
    check: check === null ? null : { passed: check.faults.length === 0, faults: [...check.faults] },
    webhook_url: account.webhookUrl,
    capabilities: toWire(account.capabilities),
    metadata: account.metadata,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
  }
}

export function presentRevealed(account: RevealedAccount): Static<typeof RevealedAccountObject> {
  return { ...present(account), secret: account.secret }
}
