// An operation as a call that can be copied: by curl, and by the SDK.

import { sdkMethodOf } from '../../../packages/cli/src/sdk-methods.ts'
import { exampleOfSchema } from '../../../packages/server/src/kernel/example.ts'
import { bodies } from './bodies.ts'
import { entryOf, type Parameter, type Placed, successesOf } from './document.ts'

/** Where test tokens are taken, as all guides name it. */
const staging = '$TEST_URL'

/** What a query asks for that would mean little without it. */
const queries: { readonly [operation: string]: { readonly [name: string]: string } } = {
  'customers.list': { email: 'ada@example.com' },
  'deliveries.list': { state: 'exhausted' },
  'events.list': { type: 'payment.succeeded' },
  'events.stream': { types: 'payment.*' },
  'invoices.list': { status: 'open' },
  'payments.list': { status: 'succeeded' },
  'reports.payments': { bucket: '1d', group: 'currency' },
  'search.list': { q: 'ada@example.com' },
  'subscriptions.list': { status: 'active' },
}

const secret = '$CHECKOUT_SECRET'

export function curlOf({ method, path, operation }: Placed): string {
  const { operationId: id, parameters } = operation
  const query = new URLSearchParams(queries[id]).toString().replaceAll('%40', '@').replaceAll('%2A', '*')
  const address = `${staging}${filled(path, parameters)}${query === '' ? '' : `?${query}`}`
  const body = bodyFor(id)
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body !== null) ? '' : `-X ${method} `}"${address}"`,
    `-H "Authorization: Bearer $TEST_TOKEN"`,
    ...headersOf(parameters).map((name) => `-H "${name}: ${secret}"`),
    ...(takesKey(parameters) ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `-d '${quoted(body)}'`]),
    ...(id === 'invoices.pdf' ? ['-o invoice.pdf'] : []),
    ...(id === 'events.stream' ? ['-N'] : []),
  ]
  return lines.join(' \\\n  ')
}

export function typescriptOf({ path, operation }: Placed): string {
  const { operationId: id, parameters } = operation
  const ids = pathNames(path).map((name) => pathValue(name, parameters))
  const secrets = headersOf(parameters).map(() => ({ source: 'process.env.CHECKOUT_SECRET' }))
  const body = bodyFor(id)
  const query = queries[id]
  const asked = id === 'search.list' ? query?.q : id === 'events.stream' ? { types: ['payment.*'] } : query
  const rest = body ?? asked
  const call = `sy.${sdkMethodOf(id)}(${[...ids, ...secrets, ...(rest === undefined ? [] : [rest])].map((arg) => literal(arg)).join(', ')})`
  return isWalked(operation, id)
    ? `for await (const ${entryName(id)} of ${call}) console.log(${entryName(id)})`
    : `const answer = await ${call}`
}

function bodyFor(id: string): object | null {
  return (bodies as { readonly [operation: string]: object })[id] ?? null
}

function quoted(body: object): string {
  return JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')
}

/** Lists of the SDK page by themselves; what is a list but stands alone is an answer like any other. */
function isWalked(operation: Placed['operation'], id: string): boolean {
  if (['events.resend', 'search.list'].includes(id)) return false
  return (
    id === 'events.stream' ||
    successesOf(operation).some(([, schema]) => schema !== null && entryOf(schema) !== schema)
  )
}

function entryName(id: string): string {
  return id.startsWith('events.') ? 'event' : 'entry'
}

function takesKey(parameters: readonly Parameter[]): boolean {
  return parameters.some(({ name }) => name === 'Idempotency-Key')
}

/** Headers of its own, which have to be sent. */
function headersOf(parameters: readonly Parameter[]): string[] {
  return parameters.filter((one) => one.in === 'header' && one.required).map(({ name }) => name)
}

function filled(path: string, parameters: readonly Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(pathValue(name, parameters)))
}

function pathNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function pathValue(name: string, parameters: readonly Parameter[]): unknown {
  const schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {}
  const value = exampleOfSchema(schema)
  // Revisions are counted, and the SDK takes them as numbers.
  return name === 'revision' ? Number(value) : value
}

type Source = { readonly source: string }

/** A value as source text, on one line if it is short. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, '\\$&')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  if ('source' in value) return `${(value as Source).source} ?? ''`
  const short = inline(value)
  if (short.length + indent.length <= 80) return short
  const deeper = `${indent}  `
  if (Array.isArray(value))
    return `[\n${value.map((one) => `${deeper}${literal(one, deeper)},`).join('\n')}\n${indent}]`
  const members = Object.entries(value).map(([name, one]) => `${deeper}${name}: ${literal(one, deeper)},`)
  return `{\n${members.join('\n')}\n${indent}}`
}

function inline(value: object): string {
  if (Array.isArray(value)) return `[${value.map((one) => literal(one)).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${literal(one)}`)
    .join(', ')} }`
}
