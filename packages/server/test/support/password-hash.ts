// Hashes passwords of test persons with the lowest cost that argon2id allows. The server reads the cost from the hash, so
// verifying them is cheap too: with the cost of `hashPassword`, each takes about 50 ms of CPU time. Tests of hashing,
// and people who choose their password over HTTP, use `hashPassword`.

import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const memoryKib = 8

export async function cheapHash(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const cost = { memory: memoryKib, passes: 1, parallelism: 1 }
  const message = Buffer.from(password.normalize('NFKC'))
  const tag = await promisify(argon2)('argon2id', { ...cost, message, nonce, tagLength: 32 })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${memoryKib},t=1,p=1$${base64(nonce)}$${base64(tag)}`
}
