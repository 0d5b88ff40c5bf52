/**
 * AES-256-GCM. The ciphertext is bound to a location, which is not stored with it: it cannot be decrypted for
 * another location. The nonce is random, which is safe for four billion messages under one key.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
export const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/**
 * The location of a ciphertext, such as table, column and row. It is serialized as JSON, so different locations are
 * always serialized differently.
 */
export type Binding = readonly (string | number)[]

/** Returns the nonce, the ciphertext, and the tag that authenticates both and the location. */
export function encrypt(key: KeyObject, binding: Binding, plain: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(bytesOf(binding))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Null if a single bit of the key, the location or the ciphertext differs. */
export function decrypt(key: KeyObject, binding: Binding, sealed: Buffer): Buffer | null {
  if (sealed.length < nonceBytes + tagBytes) return null
  const tagStart = sealed.length - tagBytes
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(bytesOf(binding))
  decipher.setAuthTag(sealed.subarray(tagStart))
  const plain = decipher.update(sealed.subarray(nonceBytes, tagStart))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    return null
  }
}

function bytesOf(binding: Binding): Buffer {
  return Buffer.from(JSON.stringify(binding))
}
