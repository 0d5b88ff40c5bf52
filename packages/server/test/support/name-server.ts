// A name server on loopback that knows the names of one test, and stays silent about those it shall.

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

/** Its address, as `host:port`. It runs until the test is over. */
export async function aNameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const answer = answerTo(query, zone)
    if (answer !== null) socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function answerTo(query: Buffer, zone: Zone): Buffer | null {
  const { name, end } = readName(query, 12)
  const type = query.readUInt16BE(end)
  const known = zone[name.toLowerCase()]
  if (known === 'silent') return null

  const records = [
    ...(known?.alias === undefined ? [] : [record(types.CNAME, writeName(known.alias))]),
    ...(type === types.A ? (known?.A ?? []).map((text) => record(type, ipv4(text))) : []),
    ...(type === types.AAAA ? (known?.AAAA ?? []).map((text) => record(type, ipv6(text))) : []),
  ]
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // A response with recursion, and for a name that is not known the code for that.
  header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, query.subarray(12, end + 4), ...records])
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 1 }
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.of(0)])
}

/** For the name that was asked for, whatever alias stands between: askers take all addresses of an answer. */
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

/** All eight groups have to be written. */
function ipv6(text: string): Buffer {
  const bytes = Buffer.alloc(16)
  for (const [index, group] of text.split(':').entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2)
  return bytes
}
