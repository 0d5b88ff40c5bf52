import { StateError } from '@switchyard/sdk'
import type { Recipes, TriggerContext } from './trigger-context.ts'

/** Exports today's payments. */
async function exportPayments({ client }: TriggerContext): Promise<string> {
  const today = new Date().toISOString().slice(0, 10)
  const exported = await client.exports.create({ of: 'payments', format: 'csv', from: today, to: today })
  return exported.id
}

const maxExports = 10

/** A small export may complete before it can be cancelled. Then another one is started. */
async function cancelExport(context: TriggerContext): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const id = await exportPayments(context)
    try {
      await context.client.exports.cancel(id)
      return id
    } catch (error) {
      if (!(error instanceof StateError) || attempt === maxExports) throw error
    }
  }
}

/** No server has a name that ends with `.invalid`. */
async function createDestination({ client }: TriggerContext): Promise<string> {
  const { id } = await client.exportDestinations.create({
    endpoint_url: 'https://storage.invalid',
    region: 'eu-central-1',
    bucket: 'example-exports',
    access_key_id: 'EXAMPLE',
    secret_access_key: 'example-secret',
    of: ['payments'],
    format: 'csv',
  })
  return id
}

export const financeRecipes = {
  'export.created': { how: "export today's payments", run: exportPayments },
  'export.completed': { how: "export today's payments", run: exportPayments },
  'export.written': { why: 'Daily exports start after the end of a day.' },
  'export_destination.created': { how: 'create an export destination', run: createDestination },
  'export_destination.updated': {
    how: 'create an export destination, change its name',
    run: async (context) => {
      const id = await createDestination(context)
      await context.client.exportDestinations.update(id, { name: 'Data warehouse' })
      return id
    },
  },
  'export_destination.deleted': {
    how: 'create an export destination, delete it',
    run: async (context) => {
      const id = await createDestination(context)
      await context.client.exportDestinations.delete(id)
      return id
    },
  },
  'export_destination.failing': {
    how: 'create an export destination with an unreachable URL, check it three times',
    run: async (context) => {
      const id = await createDestination(context)
      for (let check = 0; check < 3; check += 1) await context.client.exportDestinations.check(id)
      return id
    },
  },
  'export_destination.recovered': { why: 'Uploads to a bucket have to fail first, and then succeed.' },
  'export.failed': { why: 'The files of a workspace have to occupy more than 1 GB.' },
  'export.cancelled': {
    how: "export today's payments, cancel the export",
    run: cancelExport,
  },
} satisfies Recipes
