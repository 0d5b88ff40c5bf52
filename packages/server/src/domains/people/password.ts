/**
 * Passwords: argon2id with the parameters OWASP recommends, in the PHC form that names them. It is slow and takes much
 * memory on purpose, so few are hashed at once: a crowd at the door must not stop the process that takes payments.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { refuse } from '../../kernel/errors.ts'

const memoryKib = 19_456
const passes = 2
const tagBytes = 32

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }

/** A password nobody has to invent: 24 characters without look-alikes, 115 bits and more. */
export function drawPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  const usable = 256 - (256 % alphabet.length)
  const letters: string[] = []
  while (letters.length < 24) {
    for (const byte of randomBytes(32))
      if (byte < usable) letters.push(alphabet.charAt(byte % alphabet.length))
  }
  return letters.slice(0, 24).join('')
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag =
    (await derive(password, nonce, { memory: memoryKib, passes, parallelism: 1 })) ??
    refuse('overloaded', { retryAfterSeconds: 1 })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${base64(nonce)}$${base64(tag)}`
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** `busy`: too many wait to be compared, and this one was not. It says nothing about the password. */
export type Comparison = 'same' | 'other' | 'busy'

/** Compared with the hash of nobody, it takes as long as with anybody's: who is here cannot be told by the time. */
export async function comparePassword(password: string, hash: string | null): Promise<Comparison> {
  const [, memory, count, parallelism, nonce = '', tag = ''] = form.exec(hash ?? nobody) ?? []
  const cost = { memory: Number(memory), passes: Number(count), parallelism: Number(parallelism) }
  const derived = await derive(password, Buffer.from(nonce, 'base64'), cost)
  if (derived === null) return 'busy'
  return timingSafeEqual(derived, Buffer.from(tag, 'base64')) && hash !== null ? 'same' : 'other'
}

/** A hash that no password has: its tag was drawn. */
const nobody = `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${'A'.repeat(22)}$${randomBytes(tagBytes).toString('base64').replaceAll('=', '')}`

/** Null if too many wait. */
async function derive(password: string, nonce: Buffer, cost: Cost): Promise<Buffer | null> {
  const message = Buffer.from(password.normalize('NFKC'))
  if (!(await enter())) return null
  try {
    return await promisify(argon2)('argon2id', { ...cost, message, nonce, tagLength: tagBytes })
  } finally {
    leave()
  }
}

const mostAtOnce = 2
const mostWaiting = 50
let atOnce = 0
const waiting: (() => void)[] = []

/** Waits for a place, the first who came first. Where too many wait already, nobody else begins to. */
async function enter(): Promise<boolean> {
  if (atOnce < mostAtOnce) {
    atOnce += 1
    return true
  }
  if (waiting.length >= mostWaiting) return false
  await new Promise<void>((resolve) => waiting.push(resolve))
  return true
}

/** Hands the place to whoever waits longest. */
function leave(): void {
  const next = waiting.shift()
  if (next === undefined) atOnce -= 1
  else next()
}
