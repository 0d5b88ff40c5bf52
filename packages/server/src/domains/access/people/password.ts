/**
 * Hashes passwords with argon2id and the parameters that OWASP recommends, in the PHC string format. Hashing
 * is slow and uses a lot of memory on purpose, so requests hash in `runPasswordTask`, which limits the
 * concurrency.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const memoryKib = 19_456
const passes = 2
const tagBytes = 32

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }

/** A generated password: 24 characters without look-alikes, more than 115 bits. */
export function generatePassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  const limit = 256 - (256 % alphabet.length)
  const letters: string[] = []
  while (letters.length < 24) {
    for (const byte of randomBytes(32))
      if (byte < limit) letters.push(alphabet.charAt(byte % alphabet.length))
  }
  return letters.slice(0, 24).join('')
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive(password, nonce, { memory: memoryKib, passes, parallelism: 1 })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${base64(nonce)}$${base64(tag)}`
}

const phcPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/**
 * Without a hash, it takes the same time and returns false, so that the response time does not reveal whether
 * an email address exists.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [, memory, count, parallelism, nonce = '', tag = ''] = phcPattern.exec(hash ?? dummyHash) ?? []
  const cost = { memory: Number(memory), passes: Number(count), parallelism: Number(parallelism) }
  const derived = await derive(password, Buffer.from(nonce, 'base64'), cost)
  return timingSafeEqual(derived, Buffer.from(tag, 'base64')) && hash !== null
}

/** A hash that matches no password: its tag is random. */
const dummyHash = `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${'A'.repeat(22)}$${randomBytes(tagBytes).toString('base64').replaceAll('=', '')}`

function derive(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFKC'))
  return promisify(argon2)('argon2id', { ...cost, message, nonce, tagLength: tagBytes })
}
