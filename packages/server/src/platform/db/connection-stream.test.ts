import { Socket } from 'node:net'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase } from '../../../test/support/database.ts'
import { sendText } from './bound-driver.ts'
import { streamOf } from './connection-stream.ts'

test('pg keeps the socket in client.connection.stream, and statements of one tick leave in one write', async () => {
  const client = new Client({ connectionString: await newDatabase() })
  await client.connect()
  onTestFinished(() => client.end())
  const stream = streamOf(client)
  expect(stream).toBeInstanceOf(Socket)

  const sent = [sendText(client, 'select 1'), sendText(client, 'select 2')]

  expect(stream.writableCorked).toBe(1)
  expect(stream.writableLength).toBeGreaterThan(0)
  await Promise.all(sent)
  expect(stream.writableCorked).toBe(0)
})

test('a version of pg without this member fails with an explanation', () => {
  const changedClient = Object.assign(new Client(), { connection: {} })

  expect(() => streamOf(changedClient)).toThrow('pg no longer has client.connection.stream')
})
