/**
 * AES-256-GCM. What is sealed is bound to a place, which is not stored with it: given another one, it does not
 * open. The nonce is random, which is safe for four thousand million texts under one key.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
export const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Where something lies, from the outside in. Written as JSON, two different places never look the same. */
export type Binding = readonly (string | number)[]

/** The nonce, what was sealed, and the tag that proves both and the place. */
export function encrypt(key: KeyObject, binding: Binding, plain: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(bytesOf(binding))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Null if a single bit differs, of the key, the place or the sealed bytes. */
export function decrypt(key: KeyObject, binding: Binding, sealed: Buffer): Buffer | null {
  if (sealed.length < nonceBytes + tagBytes) return null
  const tagAt = sealed.length - tagBytes
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(bytesOf(binding))
  decipher.setAuthTag(sealed.subarray(tagAt))
  const plain = decipher.update(sealed.subarray(nonceBytes, tagAt))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    return null
  }
}

function bytesOf(binding: Binding): Buffer {
  return Buffer.from(JSON.stringify(binding))
}
