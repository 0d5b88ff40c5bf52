// A DNS server on loopback with the names of one test. It does not respond to queries for names with the
// value `silent`.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

export type Zone = Readonly<
  Record<
    string,
    { readonly A?: readonly string[]; readonly AAAA?: readonly string[]; readonly alias?: string } | 'silent'
  >
>

const types = { A: 1, CNAME: 5, AAAA: 28 }

/** Starts the server, stops it when the test ends, and returns its address as `host:port`. */
export async function startNameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const response = respondTo(query, zone)
    if (response !== null) socket.send(response, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function respondTo(query: Buffer, zone: Zone): Buffer | null {
  const { name, end } = readName(query, 12)
  const type = query.readUInt16BE(end)
  const entry = zone[name.toLowerCase()]
  if (entry === 'silent') return null

  const records = [
    ...(entry?.alias === undefined ? [] : [record(types.CNAME, writeName(entry.alias))]),
    ...(type === types.A ? (entry?.A ?? []).map((text) => record(type, ipv4(text))) : []),
    ...(type === types.AAAA ? (entry?.AAAA ?? []).map((text) => record(type, ipv6(text))) : []),
  ]
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // A response with recursion available, or NXDOMAIN for an unknown name.
  header.writeUInt16BE(entry === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, query.subarray(12, end + 4), ...records])
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let offset = start
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return { name: labels.join('.'), end: offset + 1 }
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.of(0)])
}

/** A record for the requested name. Resolvers accept it even if the response contains an alias. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(0, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function ipv4(text: string): Buffer {
  return Buffer.from(text.split('.').map(Number))
}

/** Parses an IPv6 address with all eight groups. */
function ipv6(text: string): Buffer {
  const bytes = Buffer.alloc(16)
  for (const [index, group] of text.split(':').entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2)
  return bytes
}
