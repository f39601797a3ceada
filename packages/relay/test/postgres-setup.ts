/** Global setup of the relay’s tests: starts their shared PostgreSQL, and removes it afterwards. */
import type { TestProject } from 'vitest/node';
import { PostgresServer } from './postgres-server.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = new PostgresServer();
  await server.create();
  project.provide('postgresPort', server.port);
  return () => server.remove();
}
