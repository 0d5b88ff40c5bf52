/**
 * The API versions: the first version, and the later changes, oldest first. Each change is a file in this
 * folder.
 */
import { createVersions } from '../platform/http/versions.ts'

export const versions = createVersions('2026-11-14', [])
