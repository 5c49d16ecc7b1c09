/** Loaded when a certificate is made: it takes 100 ms, and is seldom needed. */
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
