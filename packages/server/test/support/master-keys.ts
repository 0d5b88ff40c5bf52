// The master key of every server that tests start, so that one server can decrypt what another encrypted.

export const testMasterKeys = `test:${Buffer.alloc(32, 'switchyard').toString('base64')}`
