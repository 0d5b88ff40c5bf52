/**
 * Responses to disputes in the protocol. Only the record of the dispute proves that a response was accepted, and only
 * `processed: false` proves that it was not. Everything else is unknown, and the request is repeated.
 */
import { isCurrency } from '../../kernel/currency.ts'
import type { Money } from '../../kernel/money.ts'
import type {
  DisputeFound,
  DisputeInput,
  DisputeOutcome,
  DisputeReport,
  DisputeSteps,
  FileOutcome,
  FileUpload,
  HttpReply,
  Outcome,
} from '../contract.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { dateOf, faultIn } from './record.ts'
import { acceptDispute, getDispute, putFile, putResponse } from './request.ts'
import { type CustomConfig, DisputeRecord, NotProcessed, Rejection } from './wire.ts'

const readDispute = readerOf(DisputeRecord)
const readRejection = readerOf(Rejection)
const isNotProcessed = testOf(NotProcessed)

export const disputeSteps: DisputeSteps<CustomConfig> = {
  submit: { build: putResponse, parse: outcomeIn },
  accept: { build: acceptDispute, parse: outcomeIn },
  lookup: { build: getDispute, parse: foundIn },
  upload: { build: putFile, parse: uploadIn },
}

export function reportOf(record: DisputeRecord): DisputeReport {
  const { amount, currency, fee = null, respond_by_at: respondBy } = record
  return {
    providerReference: record.id,
    stage: record.stage,
    status: record.status,
    money: moneyOf({ amount, currency }),
    reason: record.reason,
    networkReasonCode: record.network_reason_code ?? null,
    respondByAt: respondBy ? dateOf(respondBy) : null,
    isWithdrawn: record.withdrawn,
    fee: fee === null ? null : moneyOf(fee),
    reportedAt: dateOf(record.updated_at),
  }
}

function moneyOf({ amount, currency }: { readonly amount: number; readonly currency: string }): Money {
  if (!isCurrency(currency)) throw new Unreadable('The member /dispute has an unknown currency.')
  return { amount: BigInt(amount), currency }
}

/** A record that still needs a response contradicts the status 200. */
function outcomeIn(reply: HttpReply, input: DisputeInput): DisputeOutcome {
  if (reply.status === 200) {
    const { id, status: recorded, updated_at: at } = readDispute(reply.body)
    if (id !== input.providerReference) throw new Unreadable('The record has a different id.')
    return recorded === 'needs_response' ? unexpected(reply) : { is: 'accepted', reportedAt: dateOf(at) }
  }
  return refusalIn(reply)
}

/** The provider identifies a file by its hash. */
function uploadIn(reply: HttpReply, { file }: FileUpload): FileOutcome {
  const isStored = [200, 201, 204].includes(reply.status)
  return isStored ? { is: 'uploaded', providerFileId: file.sha256 } : refusalIn(reply)
}

function refusalIn(reply: HttpReply): Refusal {
  const { status, body } = reply
  if ((status === 429 || status === 503) && isNotProcessed(body)) return rejected('provider_error', true)
  if (status === 401 || status === 403) return rejected('provider_credentials_invalid', true)
  if (status < 400 || status >= 500) return unexpected(reply)
  return { is: 'rejected', fault: faultIn(readRejection(body), 'provider_request_invalid') }
}

type Refusal = Extract<Outcome, { is: 'rejected' | 'unknown' }>

function rejected(code: string, thisCallOnly: true): Refusal {
  return { is: 'rejected', fault: { code, message: messages[code] ?? '' }, thisCallOnly }
}

const messages: { readonly [code: string]: string } = {
  provider_error: 'The provider is too busy.',
  provider_credentials_invalid: 'The provider does not accept our credentials.',
}

function foundIn(reply: HttpReply, { providerReference }: DisputeInput): DisputeFound {
  if (reply.status !== 200) return unexpected(reply)
  const report = reportOf(readDispute(reply.body))
  if (report.providerReference !== providerReference) throw new Unreadable('The record has a different id.')
  return { is: 'found', report }
}

function unexpected({ status }: HttpReply) {
  const fault = { code: 'unexpected_answer', message: `Unexpected status ${status}.` }
  return { is: 'unknown', fault } as const
}
