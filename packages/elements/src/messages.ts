/**
 * The messages between the page of the merchant and the frame. The first message, `init`, transfers a `MessagePort`;
 * all others use that port. Both sides ignore messages that do not match exactly. No message carries card data. No side
 * effects.
 */
import { type Appearance, isAppearance } from './appearance.ts'

export const protocolVersion = 1

export type SessionKey = { readonly id: string; readonly client_secret: string }

/** From the page to the frame. */
export type PageMessage =
  | {
      readonly type: 'init'
      readonly version: typeof protocolVersion
      readonly session: SessionKey
      readonly locale: string | null
      readonly appearance: Appearance
    }
  | { readonly type: 'update'; readonly locale: string | null; readonly appearance: Appearance }
  | { readonly type: 'focus' }
  | { readonly type: 'submit'; readonly id: number; readonly return_url: string }
  | { readonly type: 'unmount' }

/** `form`: the payer can enter a card. `unavailable`: the payer cannot pay here. */
export const elementStatuses = [
  'form',
  'submitting',
  'processing',
  'requires_action',
  'succeeded',
  'unavailable',
] as const
export type ElementStatus = (typeof elementStatuses)[number]

export const outcomeStatuses = ['succeeded', 'processing', 'requires_action', 'failed'] as const

export const errorCodes = [
  'declined',
  'fields_invalid',
  'offline',
  'connection_lost',
  'rate_limited',
  'busy',
  'expired',
  'session_invalid',
  'cards_unavailable',
  'unreachable',
  'frame_unavailable',
  'unmounted',
] as const
export type ElementsErrorCode = (typeof errorCodes)[number]

export type ElementsError = {
  readonly code: ElementsErrorCode
  /** For the payer, in the language of the element. */
  readonly message: string
  /** After a decline: what the payer should do, such as `other_method`. Otherwise null. */
  readonly advice_code: string | null
}

export const cardBrands = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'] as const
export type CardBrand = (typeof cardBrands)[number]

/** From the frame to the page. */
export type FrameMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'resize'; readonly height: number }
  | {
      readonly type: 'change'
      readonly status: ElementStatus
      readonly complete: boolean
      readonly brand: CardBrand | null
    }
  | { readonly type: 'escape' }
  | { readonly type: 'challenge'; readonly url: string }
  | {
      readonly type: 'result'
      readonly id: number
      readonly status: (typeof outcomeStatuses)[number]
      readonly error: ElementsError | null
    }

type Check = (value: unknown) => boolean
type Shape = Readonly<Record<string, Check>>

const text =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const integer =
  (max: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max
const shaped =
  (shape: Shape): Check =>
  (value) =>
    hasShape(value, shape)

const url = text(/^https?:\/\/[^\s]{1,2000}$/)
const locale = nullOr(text(/^[A-Za-z0-9-]{2,35}$/))
const settings = { locale, appearance: isAppearance }

const pageShapes: Readonly<Record<PageMessage['type'], Shape>> = {
  init: {
    version: oneOf([protocolVersion]),
    session: shaped({ id: text(/^checkout_session_\w{1,60}$/), client_secret: text(/^cs_[\w-]{1,2000}$/) }),
    ...settings,
  },
  update: settings,
  focus: {},
  submit: { id: integer(1e9), return_url: url },
  unmount: {},
}

const frameShapes: Readonly<Record<FrameMessage['type'], Shape>> = {
  ready: {},
  resize: { height: integer(20_000) },
  change: {
    status: oneOf(elementStatuses),
    complete: oneOf([true, false]),
    brand: nullOr(oneOf(cardBrands)),
  },
  escape: {},
  challenge: { url },
  result: {
    id: integer(1e9),
    status: oneOf(outcomeStatuses),
    error: nullOr(
      shaped({
        code: oneOf(errorCodes),
        message: text(/^.{1,500}$/s),
        advice_code: nullOr(text(/^[a-z_]{1,60}$/)),
      }),
    ),
  },
}

/** Null if the data is not a message of the page. */
export const readPageMessage = (data: unknown) => read<PageMessage>(data, pageShapes)
/** Null if the data is not a message of the frame. */
export const readFrameMessage = (data: unknown) => read<FrameMessage>(data, frameShapes)

function read<Message>(data: unknown, shapes: Readonly<Record<string, Shape>>): Message | null {
  const type = isRecord(data) ? data.type : null
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) return null
  return hasShape(data, { type: () => true, ...shapes[type] }) ? (data as Message) : null
}

function hasShape(value: unknown, shape: Shape): boolean {
  if (!isRecord(value) || Object.keys(value).length !== Object.keys(shape).length) return false
  return Object.entries(shape).every(([name, check]) => Object.hasOwn(value, name) && check(value[name]))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
