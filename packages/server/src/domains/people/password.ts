/** Passwords: argon2id with the parameters OWASP recommends, in the PHC form that names them. */
import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const memoryKib = 19_456
const passes = 2

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
  const tag = await promisify(argon2)('argon2id', {
    message: Buffer.from(password.normalize('NFKC')),
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: memoryKib,
    passes,
  })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${base64(nonce)}$${base64(tag)}`
}
