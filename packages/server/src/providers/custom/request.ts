/**
 * Builds the calls of the protocol: address, headers, signature, body. Equal input always produces an identical
 * request, regardless of the order of its members, so that it can be repeated.
 */
import { assert } from '../../kernel/assert.ts'
import { canonical } from '../../kernel/json.ts'
import { toWire } from '../../kernel/money.ts'
import type {
  BankAccount,
  BuildContext,
  CompleteInput,
  Debit,
  Device,
  DisputeInput,
  DisputeResponse,
  EvidenceFile,
  FileUpload,
  ForgetInput,
  HttpCall,
  Instrument,
  ListInput,
  OperationInput,
} from '../contract.ts'
import { sign, signatureHeader, standInsHeader } from './signature.ts'
import { type CustomConfig, maxListed } from './wire.ts'

export type Context = BuildContext<CustomConfig>
type WithReference = { readonly reference: string }

export function putOperation(input: OperationInput, context: Context): HttpCall {
  return call(context, {
    method: 'PUT',
    path: pathOf(input),
    reference: input.reference,
    body: requestOf(input),
    headers: standInsOf(input.instrument),
  })
}

export function completeOperation(input: CompleteInput, context: Context): HttpCall {
  const body = { return_params: input.returnParams }
  return call(context, {
    method: 'POST',
    path: `${pathOf(input)}/complete`,
    reference: input.reference,
    body,
  })
}

export function getOperation(input: WithReference, context: Context): HttpCall {
  return call(context, { method: 'GET', path: pathOf(input), reference: input.reference })
}

export function closeOperation(input: WithReference, context: Context): HttpCall {
  return call(context, { method: 'POST', path: `${pathOf(input)}/close`, reference: input.reference })
}

export function listOperations({ since, cursor }: ListInput, context: Context): HttpCall {
  const query = new URLSearchParams({ limit: String(maxListed), since: since.toISOString() })
  if (cursor !== null) query.set('cursor', cursor)
  return call(context, { method: 'GET', path: `/operations?${query}` })
}

export function deleteToken({ token }: ForgetInput, context: Context): HttpCall {
  assert(
    token !== '.' && token !== '..',
    'A token must not be `.` or `..`: the schema of responses rejects them.',
  )
  return call(context, { method: 'DELETE', path: `/tokens/${encodeURIComponent(token)}` })
}

export function getDispute(input: DisputeInput, context: Context): HttpCall {
  return call(context, { method: 'GET', path: disputePathOf(input) })
}

export function putResponse(input: DisputeResponse, context: Context): HttpCall {
  const { reference, evidence, files } = input
  const body = { reference, evidence, files: files.map(fileOf) }
  return call(context, { method: 'PUT', path: `${disputePathOf(input)}/response`, reference, body })
}

function fileOf({ sha256, name, purpose, contentType, size }: EvidenceFile): object {
  return { sha256, name, purpose, content_type: contentType, size }
}

export function putFile({ file, content }: FileUpload, context: Context): HttpCall {
  return call(context, {
    method: 'PUT',
    path: `/files/${file.sha256}`,
    content,
    contentType: file.contentType,
  })
}

export function acceptDispute(input: DisputeInput, context: Context): HttpCall {
  const { reference } = input
  return call(context, {
    method: 'POST',
    path: `${disputePathOf(input)}/accept`,
    reference,
    body: { reference },
  })
}

function disputePathOf({ providerReference }: DisputeInput): string {
  assert(
    !/^\.{1,2}$/.test(providerReference),
    'A dispute id must not be `.` or `..`: the schema of disputes rejects them.',
  )
  return `/disputes/${encodeURIComponent(providerReference)}`
}

export function get(path: '/health' | '/manifest', context: Context): HttpCall {
  return call(context, { method: 'GET', path })
}

function pathOf({ reference }: WithReference): string {
  assert(
    /^[\w-]{1,64}$/.test(reference),
    'A reference must have 1 to 64 letters, digits, - or _: it is part of a URL.',
  )
  return `/operations/${reference}`
}

function requestOf(input: OperationInput): object {
  const { storedCredential, customer } = input
  return {
    reference: input.reference,
    kind: input.kind,
    parent_reference: input.parent?.reference ?? null,
    mode: input.mode,
    ...toWire(input.money),
    capture: input.capture,
    initiator: input.initiator,
    stored_credential: {
      use: storedCredential.use,
      network_transaction_id: storedCredential.networkTransactionId,
    },
    instrument: instrumentIn(input),
    payment_id: input.paymentId,
    three_d_secure: input.threeDSecure,
    return_url: input.returnUrl,
    customer: customer === null ? null : { id: customer.id, email: customer.email },
    billing: input.billing,
    device: input.device === null ? null : deviceOf(input.device),
    statement_descriptor: input.statementDescriptor,
    description: input.description,
    metadata: input.metadata,
  }
}

function deviceOf(device: Device): object {
  return {
    ip: device.ip,
    user_agent: device.userAgent,
    accept_header: device.acceptHeader,
    language: device.language,
    color_depth: device.colorDepth,
    screen_width: device.screenWidth,
    screen_height: device.screenHeight,
    time_zone_offset_minutes: device.timeZoneOffsetMinutes,
    java_enabled: device.javaEnabled,
  }
}

/** Null for operations that act on an earlier operation. */
function instrumentIn({ instrument, debit, redirect }: OperationInput): object | null {
  if (instrument !== null) return instrumentOf(instrument)
  return redirect === undefined
    ? bankAccountOf(debit)
    : { type: redirect.type, account_holder_name: redirect.holderName }
}

function instrumentOf(instrument: Instrument): object {
  if (instrument.type === 'token') return { type: 'token', token: instrument.token }
  const { number, expMonth, expYear, cvc } = instrument
  const code = cvc === undefined ? {} : { cvc }
  return { type: 'card', number, exp_month: expMonth, exp_year: expYear, ...code }
}

/** Null if no bank account is sent. */
function bankAccountOf(debit: Debit | undefined): object | null {
  const account = debit?.account ?? null
  if (debit === undefined || account === null) return null
  const { reference, acceptedAt } = debit.mandate
  return {
    type: debit.type,
    ...numberOf(account),
    account_holder_name: account.holderName,
    email: account.email,
    mandate: { reference, accepted_at: acceptedAt },
  }
}

function numberOf(account: BankAccount): object {
  if ('iban' in account) return { iban: account.iban }
  const { accountNumber: account_number } = account
  return 'sortCode' in account
    ? { sort_code: account.sortCode, account_number }
    : { routing_number: account.routingNumber, account_number, account_type: account.accountType }
}

/** The receiver puts the stand-ins back into the body before it verifies the signature. */
function standInsOf(instrument: Instrument | null): Readonly<Record<string, string>> {
  if (instrument?.type !== 'card' || instrument.isStandIn !== true) return {}
  const cvc = instrument.cvc === undefined ? '' : `,cvc=${instrument.cvc}`
  return { [standInsHeader]: `number=${instrument.number}${cvc}` }
}

type CallParts = {
  readonly method: HttpCall['method']
  readonly path: string
  readonly reference?: string
  readonly body?: object
  /** The body, if it is not JSON. */
  readonly content?: Uint8Array
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

function call({ config, now }: Context, parts: CallParts): HttpCall {
  const { method, path, reference, body, content, contentType = 'application/json', headers = {} } = parts
  const url = new URL(config.base_url.replace(/\/+$/, '') + path)
  const text = body === undefined ? null : canonical(body)
  const signed = {
    way: 'request',
    method,
    path: url.pathname + url.search,
    body: content ?? text ?? '',
  } as const
  return {
    method,
    url: url.href,
    headers: {
      accept: 'application/json',
      ...(text === null && content === undefined ? {} : { 'content-type': contentType }),
      ...(reference === undefined ? {} : { 'idempotency-key': reference }),
      'switchyard-protocol': '1',
      [signatureHeader]: sign(signed, config.secrets, now),
      ...headers,
      'user-agent': 'Switchyard',
    },
    body: text,
    ...(content === undefined ? {} : { bytes: content }),
  }
}
