// A payment provider of your own, as small as one can be and still keep every promise of the protocol.
// PROVIDER_SECRET=psec_... node server.ts [port] [journal]. Put your own bank into bank.ts.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bank, declined, openBank } from './bank.ts'
import { type Journal, openJournal } from './journal.ts'
import { type Call, isSigned } from './signature.ts'

export type Answer = { status: number; body: object }

type Asked = {
  kind: string
  amount: number
  currency: string
  capture: boolean
  parent_reference: string | null
  instrument: { type: string; number?: string; token?: string } | null
}
type Entry = {
  record: { reference: string; status: string; [member: string]: unknown }
  /** Of the body, to tell a repeat from another request. Keyed: a plain hash of a card number can be guessed. */
  digest: string
  /** The authorization that it belongs to, and what it does there. */
  root: string
  kind: string
  amount: number
  capture: boolean
}

export type ProviderOptions = {
  secrets: string[]
  journal: string
  /** Hears of operations that were answered as pending, when they end. */
  onEnd?: (record: Entry['record']) => void
}

export class OwnProvider {
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
    this.#key = keyBeside(journal)
    this.#journal = openJournal(journal)
    this.#entries = new Map(this.#journal.lines.map((entry) => [entry.record.reference, entry]))
    this.#bank = openBank(`${journal}.bank`)
    for (const entry of this.#entries.values()) this.#clearUp(entry)
  }

  async handle(call: Call): Promise<Answer> {
    const { method, path } = call
    if (!isSigned(call, this.#secrets)) return failure(401, 'bad_signature')
    if (method === 'GET' && path.endsWith('/health')) return { status: 200, body: {} }
    if (method === 'GET' && path.endsWith('/manifest')) return { status: 200, body: manifest }

    const [, reference = '', verb = ''] = /\/operations\/([\w-]{1,64})(\/close)?$/.exec(path) ?? []
    const known = this.#entries.get(reference)
    if (reference !== '' && method + verb === 'PUT') return this.#put(reference, call.body)
    if (reference !== '' && method + verb === 'POST/close') return this.#close(reference)
    return method + verb === 'GET' && known ? answerOf(this.#clearUp(known)) : failure(404, 'not_found')
  }

  async #put(reference: string, body: string): Promise<Answer> {
    const known = this.#entries.get(reference)
    const digest = createHmac('sha256', this.#key).update(body).digest('hex')
    if (known?.record.status === 'closed') return failure(409, 'operation_closed')
    if (known && known.digest !== digest) return failure(409, 'reference_reused')

    const asked: Asked = JSON.parse(body)
    // On disk as pending, then done. A repeat that comes meanwhile finds it there and hears 202.
    const entry = known ? this.#clearUp(known) : this.#record(reference, digest, asked)
    if (entry.record.status !== 'pending' || this.#running.has(reference)) return answerOf(entry)
    // New, or a crash came before the bank had it. That has each reference once, whatever it is sent twice.
    const reason = this.#faultOf(entry)
    const work = reason === null ? this.#bank.act(reference, asked) : Promise.resolve(declined(reason))
    const ending = work.then((end) => this.#save(entry, end)).finally(() => this.#running.delete(reference))
    this.#running.set(reference, ending)
    // A bank may take its time. Whoever asked hears 202, and is told when it ends.
    const first = await Promise.race([ending, sleep(patienceMs, entry)])
    if (first === entry) ending.then(({ record }) => this.#onEnd(record)).catch(() => {})
    return answerOf(first)
  }

  #record(reference: string, digest: string, asked: Asked): Entry {
    const { kind, amount, currency, capture, parent_reference: parent } = asked
    const root = parent === null ? reference : (this.#entries.get(parent)?.root ?? '')
    const record = { reference, kind, amount, currency, status: 'pending', provider_reference: randomUUID() }
    return this.#save({ record, digest, root, kind, amount, capture })
  }

  /** What is pending and does not run any more may have an end at the bank. If not, it may still get one there. */
  #clearUp(entry: Entry): Entry {
    const { reference, status } = entry.record
    if (status !== 'pending' || this.#running.has(reference)) return entry
    const end = this.#bank.find(reference)
    return end === null ? entry : this.#save(entry, end)
  }

  /** The bank is told first: once it refuses what comes late, `closed` is true. Then it is remembered here. */
  async #close(reference: string): Promise<Answer> {
    const running = this.#running.get(reference)
    if (running) await running.catch(() => {})
    const known = this.#entries.get(reference)
    if (known && known.record.status !== 'pending') return answerOf(known)
    const unseen = { digest: '', root: '', kind: '', amount: 0, capture: false }
    const entry = known ?? { ...unseen, record: { reference, status: 'pending' } }
    return answerOf(this.#save(entry, this.#bank.close(reference)))
  }

  /** Nobody gets more than was held or taken. What is under way counts as done; what was refused or closed does not. */
  #faultOf(entry: Entry): string | null {
    const { kind, amount, root } = entry
    if (kind === 'authorize' || kind === 'verify') return null
    const first = this.#entries.get(root)
    if (first?.record.status !== 'succeeded') return 'invalid_transaction'
    const family = [...this.#entries.values()].filter((one) => one.root === root && one !== entry)
    const sum = (of: string) =>
      family
        .filter((one) => one.kind === of && ['pending', 'succeeded'].includes(one.record.status))
        .reduce((total, one) => total + one.amount, 0)
    const taken = first.capture ? first.amount : sum('capture')
    const held = first.capture ? 0 : first.amount - taken - sum('void')
    return amount <= (kind === 'refund' ? taken - sum('refund') : held) ? null : 'amount_not_supported'
  }

  /** On disk before anybody hears of it. */
  #save(entry: Entry, changes: object = {}): Entry {
    const saved = { ...entry, record: { ...entry.record, ...changes } }
    this.#journal.append(saved)
    this.#entries.set(saved.record.reference, saved)
    return saved
  }
}

const patienceMs = 2_000

const manifest = {
  protocol: 1,
  timeout_ms: 10_000,
  features: { lookup: true, close: true, complete: false, tokens: false },
  capabilities: {
    ...{ kinds: ['verify', 'authorize', 'capture', 'void', 'refund'], amount: null },
    ...{ brands: 'all', currencies: 'all', countries: 'all' },
    ...{ manual_capture: true, multi_capture: true, partial_refund: true },
    ...{ three_d_secure: false, off_session: true },
  },
}

function answerOf({ record }: Entry): Answer {
  // It is told when it ends, so there is no need to ask before long.
  if (record.status === 'pending') return { status: 202, body: { ...record, check_after_ms: 30_000 } }
  return { status: 200, body: record }
}

function failure(status: number, code: string): Answer {
  return { status, body: { error: { code } } }
}

/** Not a secret that rotates: then a repeat would seem to be another request. */
function keyBeside(journal: string): Buffer {
  const path = `${journal}.key`
  if (!existsSync(path)) writeFileSync(path, randomBytes(32), { mode: 0o600 })
  return readFileSync(path)
}

export function serve(provider: Pick<OwnProvider, 'handle'>, port: number) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const signature = String(headers['switchyard-signature'] ?? '')
    // An error of ours is 500: nobody may conclude from it that nothing happened.
    const { status, body } = await provider
      .handle({ method, path, signature, body: Buffer.concat(chunks).toString() })
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
  serve(new OwnProvider({ secrets, journal }), Number(port)).once('listening', () => console.log('ready'))
}
