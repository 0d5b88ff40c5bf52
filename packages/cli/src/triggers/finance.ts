import type { Recipes, TriggerContext } from './trigger-context.ts'

/** Exports the payments of today. */
async function exportPayments({ client }: TriggerContext): Promise<string> {
  const today = new Date().toISOString().slice(0, 10)
  const exported = await client.exports.create({ of: 'payments', format: 'csv', from: today, to: today })
  return exported.id
}

export const financeRecipes = {
  'export.created': { how: 'export the payments of today', run: exportPayments },
  'export.completed': { how: 'export the payments of today', run: exportPayments },
  'export.failed': { why: 'The files of a workspace have to occupy more than 1 GB.' },
  'export.cancelled': {
    how: 'export the payments of today, cancel it',
    run: async (context) => {
      const id = await exportPayments(context)
      await context.client.exports.cancel(id)
      return id
    },
  },
} satisfies Recipes
