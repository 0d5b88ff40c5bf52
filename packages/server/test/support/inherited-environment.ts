/**
 * The environment variables that processes started by tests inherit: the program path and the compile cache.
 * All others are passed explicitly.
 */
export const inheritedEnvironment: Record<string, string> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)
