// Renders an operation as a call to copy: with curl, and with the SDK.

import { sdkMethodOf } from '../../../packages/cli/src/sdk-methods.ts'
import { exampleOfSchema } from '../../../packages/server/src/kernel/example.ts'
import { bodies } from './bodies.ts'
import { type ApiEndpoint, entryOf, type Parameter, successesOf } from './document.ts'

/** The base URL for test tokens, as in all guides. */
const baseUrl = '$TEST_URL'

/** Example query parameters, for operations that make little sense without them. */
const queries: { readonly [operation: string]: { readonly [name: string]: string } } = {
  'customers.list': { email: 'ada@example.com' },
  'deliveries.list': { state: 'exhausted' },
  'events.list': { type: 'payment.succeeded' },
  'events.stream': { types: 'payment.*' },
  'invoices.list': { status: 'open' },
  'payments.list': { status: 'succeeded' },
  'meters.usage': {
    customer_id: 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1',
    from: '2026-11-01T00:00:00Z',
    to: '2026-12-01T00:00:00Z',
  },
  'meters.report': { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' },
  'reports.payments': { bucket: '1d', group: 'currency' },
  'search.list': { q: 'ada@example.com' },
  'subscriptions.list': { status: 'active' },
}

const secret = '$CHECKOUT_SECRET'

export function curlOf({ method, path, operation }: ApiEndpoint): string {
  const { operationId: id, parameters } = operation
  const query = new URLSearchParams(queries[id]).toString().replaceAll('%40', '@').replaceAll('%2A', '*')
  const url = `${baseUrl}${fillPath(path, parameters)}${query === '' ? '' : `?${query}`}`
  const body = bodyFor(id)
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body !== null) ? '' : `-X ${method} `}"${url}"`,
    `-H "Authorization: Bearer $TEST_TOKEN"`,
    ...headersOf(parameters).map((name) => `-H "${name}: ${secret}"`),
    ...(acceptsIdempotencyKey(parameters) ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `-d '${quoteBody(body)}'`]),
    ...(id === 'settlement_imports.upload'
      ? [`-H 'Content-Type: text/csv'`, '--data-binary @november.csv']
      : []),
    ...(id === 'invoices.pdf' ? ['-o invoice.pdf'] : []),
    ...(id === 'invoices.xml' ? ['-o invoice.xml'] : []),
    ...(id === 'events.stream' ? ['-N'] : []),
  ]
  return lines.join(' \\\n  ')
}

export function typescriptOf({ path, operation }: ApiEndpoint): string {
  const { operationId: id, parameters } = operation
  const ids = pathNames(path).map((name) => pathValue(name, parameters))
  const secrets = headersOf(parameters).map(() => ({ source: "process.env.CHECKOUT_SECRET ?? ''" }))
  const body = bodyFor(id)
  const query = queries[id]
  const queryArgument =
    id === 'search.list' ? query?.q : id === 'events.stream' ? { types: ['payment.*'] } : query
  const rest =
    id === 'settlement_imports.upload'
      ? { source: "new Blob(['balance_transaction_id,…'])" }
      : (body ?? queryArgument)
  const call = `sy.${sdkMethodOf(id)}(${[...ids, ...secrets, ...(rest === undefined ? [] : [rest])].map((arg) => literal(arg)).join(', ')})`
  return isIterated(operation, id)
    ? `for await (const ${entryName(id)} of ${call}) console.log(${entryName(id)})`
    : `const response = await ${call}`
}

function bodyFor(id: string): object | null {
  return (bodies as { readonly [operation: string]: object })[id] ?? null
}

function quoteBody(body: object): string {
  return JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')
}

/** Whether the SDK returns a list to iterate. The two exceptions return a single page. */
function isIterated(operation: ApiEndpoint['operation'], id: string): boolean {
  if (['events.resend', 'search.list'].includes(id)) return false
  return (
    id === 'events.stream' ||
    successesOf(operation).some(([, schema]) => schema !== null && entryOf(schema) !== schema)
  )
}

function entryName(id: string): string {
  return id.startsWith('events.') ? 'event' : 'entry'
}

function acceptsIdempotencyKey(parameters: readonly Parameter[]): boolean {
  return parameters.some(({ name }) => name === 'Idempotency-Key')
}

/** Required headers of the operation. */
function headersOf(parameters: readonly Parameter[]): string[] {
  return parameters
    .filter((parameter) => parameter.in === 'header' && parameter.required)
    .map(({ name }) => name)
}

function fillPath(path: string, parameters: readonly Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(pathValue(name, parameters)))
}

function pathNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function pathValue(name: string, parameters: readonly Parameter[]): unknown {
  const schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {}
  const value = exampleOfSchema(schema)
  // The SDK takes revisions as numbers.
  return name === 'revision' ? Number(value) : value
}

type Source = { readonly source: string }

/** A value as source text, on one line if it is short. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, '\\$&')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  if ('source' in value) return (value as Source).source
  const oneLine = inline(value)
  if (oneLine.length + indent.length <= 80) return oneLine
  const deeper = `${indent}  `
  if (Array.isArray(value))
    return `[\n${value.map((entry) => `${deeper}${literal(entry, deeper)},`).join('\n')}\n${indent}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${deeper}${name}: ${literal(member, deeper)},`,
  )
  return `{\n${members.join('\n')}\n${indent}}`
}

function inline(value: object): string {
  if (Array.isArray(value)) return `[${value.map((entry) => literal(entry)).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member)}`)
    .join(', ')} }`
}
