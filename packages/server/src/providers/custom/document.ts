/**
 * The protocol as an OpenAPI document, for those who implement it. It is made of the shapes that read their
 * answers, so what it says is what is asked of them.
 */
import type { TSchema } from 'typebox'
import {
  Callback,
  CompleteRequest,
  ErrorAnswer,
  Manifest,
  NotProcessed,
  OperationRecord,
  OperationRequest,
} from './wire.ts'

const schemas: Readonly<Record<string, TSchema>> = {
  Operation: OperationRequest,
  Record: OperationRecord,
  Complete: CompleteRequest,
  Manifest,
  Callback,
  Error: ErrorAnswer,
  NotProcessed,
}

type Json = Readonly<Record<string, unknown>>

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (name: string) => ({ 'application/json': { schema: ref(name) } })
const says = (description: string, name?: string) =>
  name === undefined ? { description } : { description, content: content(name) }

const refusals = {
  '401': says('The signature does not hold. Nothing was done.', 'Error'),
  '429': says('Too many at once. Nothing was done.', 'NotProcessed'),
  '503': says('Out of service. Nothing was done.', 'NotProcessed'),
}
const recordAnswers = {
  '200': says('The record.', 'Record'),
  '202': says('The record of what is still under way.', 'Record'),
  '4XX': says('A record with the status `rejected`: nothing was done.', 'Record'),
}
const reference = { name: 'reference', in: 'path', required: true, schema: { type: 'string' } }

const paths: Json = {
  '/manifest': {
    get: call('getManifest', 'What you can do', { '200': says('The manifest.', 'Manifest') }),
  },
  '/health': { get: call('getHealth', 'Whether you can be reached', { '200': says('Yes.') }) },
  '/operations/{reference}': {
    parameters: [reference],
    put: call(
      'putOperation',
      'Do it once. A repeat answers the record.',
      {
        ...recordAnswers,
        '409': says(
          '`reference_reused`: another body came first. `operation_closed`: it was closed.',
          'Error',
        ),
      },
      'Operation',
    ),
    get: call('getOperation', 'Tell what became of it', {
      '200': recordAnswers['200'],
      '202': recordAnswers['202'],
      '404': says('It never came.'),
    }),
  },
  '/operations/{reference}/complete': {
    parameters: [reference],
    post: call('completeOperation', 'Go on: the payer is back', recordAnswers, 'Complete'),
  },
  '/operations/{reference}/close': {
    parameters: [reference],
    post: call('closeOperation', 'See to it that it never happens, or tell what did', {
      '200': says(
        '`closed` if it never came, and stored as such before this answer; else the record.',
        'Record',
      ),
    }),
  },
  '/tokens/{token}': {
    parameters: [{ ...reference, name: 'token' }],
    delete: call('deleteToken', 'Forget a card', {
      '204': says('It is gone.'),
      '404': says('It never was.'),
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
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: content(body) } }),
    responses: { ...responses, ...refusals },
  }
}

const header = (name: string, required: boolean, description: string, example: string) => ({
  ...{ name, in: 'header', required, description },
  schema: { type: 'string', examples: [example] },
})

const signatureText =
  'HMAC-SHA-256 in hexadecimal over `<request|callback>.<t>.<METHOD>.<path and query>.<hexadecimal SHA-256 of the body>`; the key is the whole secret. One `v1` for every live secret.'

export function protocolDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard: a provider of your own',
      version: '1',
      description: 'The calls that you serve, so that Switchyard can route payments to you.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'https://psp.example.com/switchyard', description: 'The base URL of the account.' }],
    paths,
    webhooks: {
      callback: {
        post: {
          operationId: 'callback',
          summary: 'What you send to the `webhook_url` of the account when a record changes',
          parameters: [{ $ref: '#/components/parameters/Signature' }],
          requestBody: { required: true, content: content('Callback') },
          responses: {
            '200': says('Stored. Anything else: send it again, for three days.'),
            '401': says('The signature does not hold.'),
          },
        },
      },
    },
    components: {
      parameters: {
        Signature: header('Switchyard-Signature', true, signatureText, 't=1794657600,v1=9eacd4…'),
        Protocol: header('Switchyard-Protocol', true, 'The version of this protocol.', '1'),
        IdempotencyKey: header(
          'Idempotency-Key',
          false,
          'The reference once more.',
          '01M7CYVGQTEAKSNTBFR026MPQ1-1',
        ),
      },
      schemas: JSON.parse(JSON.stringify(schemas)),
    },
  }
}

/** As YAML, in which every JSON text is a value; nothing here needs more than that. */
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
