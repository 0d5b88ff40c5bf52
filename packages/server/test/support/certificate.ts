// Creates certificates for test servers on demand, so that none is in the repository and none expires.

import { generateKeyPairSync, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export type Certificate = { readonly key: string; readonly cert: string }

/**
 * Creates a self-signed certificate for these names and IPv4 addresses. The years have two digits: 49 is
 * 2049.
 */
export function selfSigned(
  names: readonly string[],
  valid: { from: number; until: number } = { from: 20, until: 49 },
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(oid.commonName, der(0x0c, Buffer.from(names[0] ?? 'nobody')))))
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    sequence(oid.ecdsaWithSha256),
    name,
    sequence(firstOfYear(valid.from), firstOfYear(valid.until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid.subjectAltName, der(0x04, sequence(...names.map(altName)))))),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', toBeSigned, privateKey))
  const cert = sequence(toBeSigned, sequence(oid.ecdsaWithSha256), signature)
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

const oid = {
  commonName: der(0x06, Buffer.of(0x55, 0x04, 0x03)),
  subjectAltName: der(0x06, Buffer.of(0x55, 0x1d, 0x11)),
  ecdsaWithSha256: der(0x06, Buffer.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)),
}

function altName(name: string): Buffer {
  return isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name))
}

function firstOfYear(year: number): Buffer {
  return der(0x17, Buffer.from(`${String(year).padStart(2, '0')}0101000000Z`))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, ...parts)
}

/** Encodes an ASN.1 value as tag, length and content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}
