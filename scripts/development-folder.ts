// The data folder of `npm run dev`: `.switchyard` in this clone, or SWITCHYARD_DEV_FOLDER.

import { resolve } from 'node:path'

export const developmentFolder = resolve(
  process.env.SWITCHYARD_DEV_FOLDER ?? resolve(import.meta.dirname, '../.switchyard'),
)
