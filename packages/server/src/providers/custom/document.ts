/**
 * The protocol as an OpenAPI document for implementers. It is generated from the schemas that validate their
 * responses, so the two cannot differ.
 */
import type { TSchema } from 'typebox'
import { fileContentTypes } from '../contract.ts'
import {
  AcceptRequest,
  Callback,
  CompleteRequest,
  DisputeRecord,
  ErrorResponse,
  EvidenceRequest,
  Manifest,
  NotProcessed,
  OperationList,
  OperationRecord,
  OperationRequest,
  Rejection,
} from './wire.ts'

const schemas: Readonly<Record<string, TSchema>> = {
  Operation: OperationRequest,
  Record: OperationRecord,
  List: OperationList,
  Dispute: DisputeRecord,
  Evidence: EvidenceRequest,
  Accept: AcceptRequest,
  Rejection,
  Complete: CompleteRequest,
  Manifest,
  Callback,
  Error: ErrorResponse,
  NotProcessed,
}

type Json = Readonly<Record<string, unknown>>

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (name: string) => ({ 'application/json': { schema: ref(name) } })
const describe = (description: string, name?: string) =>
  name === undefined ? { description } : { description, content: content(name) }

const rejectionResponses = {
  '401': describe(
    'The signature is not valid. Check it before anything else. The request was not processed.',
    'Error',
  ),
  '403': describe(
    'The signature is valid, but the account may not do this. The request was not processed.',
    'Error',
  ),
  '429': describe('Too many requests. The request was not processed.', 'NotProcessed'),
  '503': describe('Unavailable. The request was not processed.', 'NotProcessed'),
}
const recordResponses = {
  '200': describe('The operation record.', 'Record'),
  '202': describe('The record of an operation that is still in progress.', 'Record'),
  '4XX': describe('A record with the status `rejected`: the request was not processed.', 'Record'),
}
const reference = { name: 'reference', in: 'path', required: true, schema: { type: 'string' } }

const textSchema = { type: 'string' }
const query = (name: string, description: string, schema: Json) => ({
  name,
  in: 'query',
  required: true,
  description,
  schema,
})

const disputeId = { ...reference, name: 'id' }
const disputeResponses = {
  '200': describe('The dispute, whose status is no longer `needs_response`.', 'Dispute'),
  '4XX': describe('Refused. The request was not processed.', 'Rejection'),
}

const paths: Json = {
  '/manifest': {
    get: call('getManifest', 'Return your capabilities', { '200': describe('The manifest.', 'Manifest') }),
  },
  '/health': {
    get: call('getHealth', 'Return whether you are available', { '200': describe('Available.') }),
  },
  '/operations': {
    parameters: [
      query('since', 'Time from which operations are listed.', { ...textSchema, format: 'date-time' }),
      query('limit', 'Maximum number of records on a page.', { type: 'integer' }),
      { ...query('cursor', '`next` of the previous page.', textSchema), required: false },
    ],
    get: call('listOperations', 'List the operations that you have received since a given time (optional)', {
      '200': describe('A page of records, in any order.', 'List'),
    }),
  },
  '/operations/{reference}': {
    parameters: [reference],
    put: call(
      'putOperation',
      'Execute an operation once. A repeated request returns its record.',
      {
        ...recordResponses,
        '409': describe(
          '`reference_reused`: the reference was already used with a different body. `operation_closed`: the operation was closed.',
          'Error',
        ),
      },
      'Operation',
    ),
    get: call('getOperation', 'Look up an operation', {
      '200': recordResponses['200'],
      '202': recordResponses['202'],
      '404': describe('The operation was never received.'),
    }),
  },
  '/operations/{reference}/complete': {
    parameters: [reference],
    post: call(
      'completeOperation',
      'Complete an operation after the payer has returned',
      recordResponses,
      'Complete',
    ),
  },
  '/operations/{reference}/close': {
    parameters: [reference],
    post: call('closeOperation', 'Close an operation that was not received, or return its record', {
      '200': describe(
        '`closed` if the operation was never received; it must be stored as closed before you respond. Otherwise the record.',
        'Record',
      ),
    }),
  },
  '/disputes/{id}': {
    parameters: [disputeId],
    get: call('getDispute', 'Look up a dispute (optional)', {
      '200': describe('The dispute.', 'Dispute'),
      '404': describe('The dispute does not exist.'),
    }),
  },
  '/disputes/{id}/response': {
    parameters: [disputeId],
    put: call(
      'respondToDispute',
      'Submit evidence once. A repeated request returns the dispute (optional).',
      disputeResponses,
      'Evidence',
    ),
  },
  '/files/{sha256}': {
    parameters: [{ ...reference, name: 'sha256' }],
    put: {
      ...call('putFile', 'Store a file of the evidence. A repeated request has no effect (optional).', {
        '204': describe('Stored.'),
        '4XX': describe('Refused. The file was not stored.', 'Rejection'),
      }),
      requestBody: {
        required: true,
        content: Object.fromEntries(
          fileContentTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
        ),
      },
    },
  },
  '/disputes/{id}/accept': {
    parameters: [disputeId],
    post: call(
      'acceptDispute',
      'Accept a dispute once. A repeated request returns the dispute (optional).',
      disputeResponses,
      'Accept',
    ),
  },
  '/tokens/{token}': {
    parameters: [{ ...reference, name: 'token' }],
    delete: call('deleteToken', 'Delete a card', {
      '204': describe('Deleted.'),
      '404': describe('The token does not exist.'),
    }),
  },
}

function call(operationId: string, summary: string, responses: Json, body?: string): Json {
  return {
    operationId,
    summary,
    parameters: [
      { $ref: '#/components/parameters/Signature' },
      { $ref: '#/components/parameters/Protocol' },
      { $ref: '#/components/parameters/IdempotencyKey' },
      { $ref: '#/components/parameters/StandIns' },
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: content(body) } }),
    responses: { ...responses, ...rejectionResponses },
  }
}

const header = (name: string, required: boolean, description: string, example: string) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', examples: [example] },
})

const signatureText =
  'Hexadecimal HMAC-SHA256 of `<request|callback>.<t>.<METHOD>.<path and query>.<hexadecimal SHA-256 of the body>`. The key is the whole secret string. There is one `v1` for each active secret.'

export function protocolDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard: custom provider protocol',
      version: '1',
      description: 'The API that you implement so that Switchyard can route payments to you.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: 'https://psp.example.com/switchyard', description: 'Base URL of the provider account.' },
    ],
    paths,
    webhooks: {
      callback: {
        post: {
          operationId: 'callback',
          summary: 'Callback that you send to the `webhook_url` of the account when a record changes',
          parameters: [{ $ref: '#/components/parameters/Signature' }],
          requestBody: { required: true, content: content('Callback') },
          responses: {
            '200': describe('Stored. After any other response, retry for three days.'),
            '401': describe('The signature is not valid.'),
          },
        },
      },
    },
    components: {
      parameters: {
        Signature: header('Switchyard-Signature', true, signatureText, 't=1794657600,v1=9eacd4…'),
        Protocol: header('Switchyard-Protocol', true, 'Version of this protocol.', '1'),
        IdempotencyKey: header(
          'Idempotency-Key',
          false,
          'Same as the reference.',
          '01M7CYVGQTEAKSNTBFR026MPQ1-1',
        ),
        StandIns: header(
          'Switchyard-Stand-Ins',
          false,
          'Set if a card vault has put the card into the body: put these values back into `instrument` before you verify the signature.',
          'number=q8ZtYw3LkP0sVbN2xR7d,cvc=A1mG5hJ9uTe4cXo6KfQy',
        ),
      },
      schemas: JSON.parse(JSON.stringify(schemas)),
    },
  }
}

/** Writes YAML, in which every JSON string is a valid value. */
export function toYaml(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return ` ${JSON.stringify(value)}\n`
  const entries = Object.entries(value)
  if (entries.length === 0) return Array.isArray(value) ? ' []\n' : ' {}\n'
  const lines = entries.map(([name, member]) =>
    Array.isArray(value)
      ? `${indent}-${toYaml(member, `${indent}  `)}`
      : `${indent}${keyOf(name)}:${toYaml(member, `${indent}  `)}`,
  )
  return `\n${lines.join('')}`
}

function keyOf(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name)
}
