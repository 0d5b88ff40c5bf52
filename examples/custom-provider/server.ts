// A payment provider of your own, as small as one can be and still keep every promise of the protocol.
// PROVIDER_SECRET=psec_... node server.ts [port] [journal]. Put your own bank where `bank` is.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { existsSync, fdatasyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'

export type Call = { method: string; path: string; signature: string; body: string }
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

export class OwnProvider {
  readonly #secrets: string[]
  readonly #entries: Map<string, Entry>
  readonly #running = new Map<string, Promise<unknown>>()
  readonly #journal: number
  readonly #key: Buffer

  constructor({ secrets, journal }: { secrets: string[]; journal: string }) {
    this.#secrets = secrets
    this.#key = keyBeside(journal)
    this.#entries = readJournal(journal)
    this.#journal = openSync(journal, 'a')
    // What was begun before a crash has an end at the bank, or never came there.
    for (const entry of this.#entries.values())
      if (entry.record.status === 'pending')
        this.#save(entry, { status: bank.find(entry.record.reference) ?? 'closed' })
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
    return method + verb === 'GET' && known ? answerOf(known) : failure(404, 'not_found')
  }

  async #put(reference: string, body: string): Promise<Answer> {
    const known = this.#entries.get(reference)
    const digest = createHmac('sha256', this.#key).update(body).digest('hex')
    if (known?.record.status === 'closed') return failure(409, 'operation_closed')
    if (known) return known.digest === digest ? answerOf(known) : failure(409, 'reference_reused')

    const asked: Asked = JSON.parse(body)
    const { kind, amount, currency, capture, parent_reference: parent } = asked
    const root = parent === null ? reference : (this.#entries.get(parent)?.root ?? '')
    const reason = this.#faultOf(asked, root)
    const record = { reference, kind, amount, currency, status: 'pending', provider_reference: randomUUID() }
    // On disk as pending, then done. A repeat that comes meanwhile finds it there and hears 202.
    const entry = this.#save({ record, digest, root, kind, amount, capture })
    const work = reason === null ? bank.act(reference, asked) : Promise.resolve(reason)
    this.#running.set(reference, work)
    const code = await work
    this.#running.delete(reference)
    return answerOf(
      this.#save(entry, code ? { status: 'declined', decline: { code } } : { status: 'succeeded' }),
    )
  }

  /** What was never seen is remembered as closed, so that a request that comes late is refused. */
  async #close(reference: string): Promise<Answer> {
    await this.#running.get(reference)
    const tombstone = { record: { reference, status: 'closed' }, digest: '', root: '', kind: '', amount: 0 }
    return answerOf(this.#entries.get(reference) ?? this.#save({ ...tombstone, capture: false }))
  }

  /** Nobody gets more than was held or taken; what is still under way counts as done. */
  #faultOf({ kind, amount }: Asked, root: string): string | null {
    if (kind === 'authorize' || kind === 'verify') return null
    const first = this.#entries.get(root)
    if (first?.record.status !== 'succeeded') return 'invalid_transaction'
    const family = [...this.#entries.values()].filter((one) => one.root === root)
    const sum = (of: string) =>
      family
        .filter((one) => one.kind === of && one.record.status !== 'declined')
        .reduce((total, one) => total + one.amount, 0)
    const taken = first.capture ? first.amount : sum('capture')
    const held = first.capture ? 0 : first.amount - taken - sum('void')
    return amount <= (kind === 'refund' ? taken - sum('refund') : held) ? null : 'amount_not_supported'
  }

  /** On disk before anybody hears of it: an answer that a power cut could undo is a lie. */
  #save(entry: Entry, changes: object = {}): Entry {
    const saved = { ...entry, record: { ...entry.record, ...changes } }
    writeSync(this.#journal, `${JSON.stringify(saved)}\n`)
    fdatasyncSync(this.#journal)
    this.#entries.set(saved.record.reference, saved)
    return saved
  }
}

/** Stands for whoever moves the money. It takes a name for each wish, does it once, and can be asked. */
const bank = {
  done: new Map<string, string>(),
  async act(reference: string, { instrument }: Asked): Promise<string | null> {
    const isPoor = instrument?.number === '4000000000510000'
    bank.done.set(reference, isPoor ? 'declined' : 'succeeded')
    return isPoor ? 'insufficient_funds' : null
  },
  find: (reference: string): string | null => bank.done.get(reference) ?? null,
}

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
  return { status: record.status === 'pending' ? 202 : 200, body: record }
}

function failure(status: number, code: string): Answer {
  return { status, body: { error: { code } } }
}

function readJournal(journal: string): Map<string, Entry> {
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : []
  // A last line that was cut by a crash was never answered for.
  const whole = lines.filter((line) => line.endsWith('}')).map((line): Entry => JSON.parse(line))
  return new Map(whole.map((entry) => [entry.record.reference, entry]))
}

/** Not a secret that rotates: then a repeat would seem to be another request. */
function keyBeside(journal: string): Buffer {
  const path = `${journal}.key`
  if (!existsSync(path)) writeFileSync(path, randomBytes(32), { mode: 0o600 })
  return readFileSync(path)
}

function isSigned({ method, path, signature, body }: Call, secrets: string[]): boolean {
  const elements = signature.split(',').map((element) => element.trim().split('='))
  const t = elements.find(([label]) => label === 't')?.[1] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(t || Number.NaN)) <= 300)) return false
  const digest = createHash('sha256').update(body).digest('hex')
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`request.${t}.${method}.${path}.${digest}`).digest(),
  )
  const given = elements.filter(([label]) => label === 'v1').map(([, hex = '']) => Buffer.from(hex, 'hex'))
  return expected.some((one) => given.some((two) => one.length === two.length && timingSafeEqual(one, two)))
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
