// A minimal payment provider that implements the whole protocol. Replace bank.ts with your bank.
// PROVIDER_SECRET=psec_... node server.ts [port] [journal]
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bank, declined, openBank } from './bank.ts'
import { type Journal, openJournal } from './journal.ts'
import { type Entry, listSince, type OperationRequest, unknownEntry } from './operations.ts'
import { type Call, isSigned } from './signature.ts'

export type ProviderResponse = { status: number; body: object }

export type ProviderOptions = {
  secrets: string[]
  journal: string
  /** Called when an operation that was answered with `pending` has ended. */
  onEnd?: (record: Entry['record']) => void
}

export class ExampleProvider {
  readonly #secrets: string[]
  readonly #onEnd: (record: Entry['record']) => void
  readonly #entries: Map<string, Entry>
  readonly #running = new Map<string, Promise<Entry>>()
  readonly #journal: Journal<Entry>
  readonly #bank: Bank
  readonly #key: Buffer

  constructor({ secrets, journal, onEnd = () => {} }: ProviderOptions) {
    this.#secrets = secrets
    this.#onEnd = onEnd
    this.#key = readDigestKey(journal)
    this.#journal = openJournal(journal)
    this.#entries = new Map(this.#journal.lines.map((entry) => [entry.record.reference, entry]))
    this.#bank = openBank(`${journal}.bank`)
    for (const entry of this.#entries.values()) this.#resolve(entry)
  }

  async handle(call: Call): Promise<ProviderResponse> {
    const { method, path } = call
    if (!isSigned(call, this.#secrets)) return failure(401, 'bad_signature')
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    if (method === 'GET' && pathname.endsWith('/health')) return { status: 200, body: {} }
    if (method === 'GET' && pathname.endsWith('/manifest')) return { status: 200, body: manifest }
    if (method === 'GET' && pathname.endsWith('/operations'))
      return {
        status: 200,
        body: listSince(
          [...this.#entries.values()].map((entry) => this.#resolve(entry)),
          searchParams,
        ),
      }
    return this.#handleOperation(call)
  }

  async #handleOperation({ method, path, body }: Call): Promise<ProviderResponse> {
    const [, reference = '', verb = ''] = /\/operations\/([\w-]{1,64})(\/close)?$/.exec(path) ?? []
    const saved = this.#entries.get(reference)
    if (reference !== '' && method + verb === 'PUT') return this.#put(reference, body)
    if (reference !== '' && method + verb === 'POST/close') return this.#close(reference)
    return method + verb === 'GET' && saved ? responseOf(this.#resolve(saved)) : failure(404, 'not_found')
  }

  async #put(reference: string, body: string): Promise<ProviderResponse> {
    const saved = this.#entries.get(reference)
    const digest = createHmac('sha256', this.#key).update(body).digest('hex')
    if (saved?.record.status === 'closed') return failure(409, 'operation_closed')
    if (saved && saved.digest !== digest) return failure(409, 'reference_reused')

    const request: OperationRequest = JSON.parse(body)
    // Save it as pending before acting. A repeated request in the meantime finds it and gets 202.
    const entry = saved ? this.#resolve(saved) : this.#record(reference, digest, request)
    if (entry.record.status !== 'pending' || this.#running.has(reference)) return responseOf(entry)
    // The operation is new, or the process crashed before the bank received it. The bank executes each reference
    // once.
    const reason = this.#declineCodeOf(entry)
    const outcome =
      reason === null ? this.#bank.execute(reference, request) : Promise.resolve(declined(reason))
    const completion = outcome
      .then((end) => this.#save(entry, end))
      .finally(() => this.#running.delete(reference))
    this.#running.set(reference, completion)
    // If the bank is slow, respond with 202 and send a callback at the end.
    const current = await Promise.race([completion, sleep(responseTimeoutMs, entry)])
    if (current === entry) completion.then(({ record }) => this.#onEnd(record)).catch(() => {})
    return responseOf(current)
  }

  #record(reference: string, digest: string, request: OperationRequest): Entry {
    const { kind, amount, currency, capture, parent_reference: parent, payment_id: paymentId } = request
    const createdAt = new Date().toISOString()
    const root = parent === null ? reference : (this.#entries.get(parent)?.root ?? '')
    const record = { reference, kind, amount, currency, status: 'pending', provider_reference: randomUUID() }
    return this.#save({ record, digest, root, kind, amount, capture, parent, paymentId, createdAt })
  }

  /**
   * Looks up the outcome of a pending operation at the bank, unless it is still running. Without an outcome it stays
   * pending.
   */
  #resolve(entry: Entry): Entry {
    const { reference, status } = entry.record
    if (status !== 'pending' || this.#running.has(reference)) return entry
    const outcome = this.#bank.find(reference)
    return outcome === null ? entry : this.#save(entry, outcome)
  }

  /** Closes the operation at the bank first, so that a late request is rejected there. Then saves the result here. */
  async #close(reference: string): Promise<ProviderResponse> {
    const running = this.#running.get(reference)
    if (running) await running.catch(() => {})
    const saved = this.#entries.get(reference)
    if (saved && saved.record.status !== 'pending') return responseOf(saved)
    const entry = saved ?? unknownEntry(reference)
    return responseOf(this.#save(entry, this.#bank.close(reference)))
  }

  /** Rejects amounts above what was authorized or captured. Pending operations count; declined and closed ones do not. */
  #declineCodeOf(entry: Entry): string | null {
    const { kind, amount, root } = entry
    if (kind === 'authorize' || kind === 'verify') return null
    const authorization = this.#entries.get(root)
    if (authorization?.record.status !== 'succeeded') return 'invalid_transaction'
    const related = [...this.#entries.values()].filter((other) => other.root === root && other !== entry)
    const sum = (ofKind: string) =>
      related
        .filter((other) => other.kind === ofKind && ['pending', 'succeeded'].includes(other.record.status))
        .reduce((total, other) => total + other.amount, 0)
    const captured = authorization.capture ? authorization.amount : sum('capture')
    const uncaptured = authorization.capture ? 0 : authorization.amount - captured - sum('void')
    return amount <= (kind === 'refund' ? captured - sum('refund') : uncaptured)
      ? null
      : 'amount_not_supported'
  }

  /** Saved to disk before the response is sent. */
  #save(entry: Entry, changes: object = {}): Entry {
    const updated = { ...entry, record: { ...entry.record, ...changes } }
    this.#journal.append(updated)
    this.#entries.set(updated.record.reference, updated)
    return updated
  }
}

const responseTimeoutMs = 2_000

const manifest = {
  protocol: 1,
  timeout_ms: 10_000,
  features: { lookup: true, close: true, list: true, complete: false, tokens: false, vault: true },
  capabilities: {
    kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
    amount: null,
    brands: 'all',
    currencies: 'all',
    countries: 'all',
    manual_capture: true,
    multi_capture: true,
    partial_refund: true,
    three_d_secure: false,
    off_session: true,
  },
}

function responseOf({ record }: Entry): ProviderResponse {
  // A callback reports the end, so Switchyard does not need to poll soon.
  if (record.status === 'pending') return { status: 202, body: { ...record, check_after_ms: 30_000 } }
  return { status: 200, body: record }
}

function failure(status: number, code: string): ProviderResponse {
  return { status, body: { error: { code } } }
}

/** A separate key: digests made with a signing secret would change when the secret is rotated. */
function readDigestKey(journal: string): Buffer {
  const path = `${journal}.key`
  if (!existsSync(path)) writeFileSync(path, randomBytes(32), { mode: 0o600 })
  return readFileSync(path)
}

export function serve(provider: Pick<ExampleProvider, 'handle'>, port: number) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const signature = String(headers['switchyard-signature'] ?? '')
    const standIns = String(headers['switchyard-stand-ins'] ?? '')
    // Respond to an internal error with 500: the operation may or may not have been executed.
    const { status, body } = await provider
      .handle({ method, path, signature, standIns, body: Buffer.concat(chunks).toString() })
      .catch(() => failure(500, 'internal_error'))
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  return server.listen(port, '127.0.0.1')
}

if (import.meta.main) {
  const [port = '4100', journal = 'journal.jsonl'] = process.argv.slice(2)
  const secrets = (process.env.PROVIDER_SECRET ?? '')
    .split(',')
    .filter((secret) => secret.startsWith('psec_'))
  if (secrets.length === 0) throw new Error('PROVIDER_SECRET is not set.')
  serve(new ExampleProvider({ secrets, journal }), Number(port)).once('listening', () => console.log('ready'))
}
