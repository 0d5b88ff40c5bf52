/** All changes between versions of the API, oldest first. A change is one file beside this one. */
import { createVersions } from '../platform/http/versions.ts'
import { customerName } from './customer-name.ts'

/** The version of the first preview, before any change. */
const oldest = '2026-10-01'

export const versions = createVersions(oldest, [customerName])
