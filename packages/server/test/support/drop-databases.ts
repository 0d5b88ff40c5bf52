/** Drops the databases of each file after its other hooks: Vitest runs the hooks of setup files last. */
import { afterAll } from 'vitest'
import { dropDatabases } from './database.ts'

afterAll(dropDatabases)
