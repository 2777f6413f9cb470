import 'reflect-metadata';
import { runProcess } from '@app/composition';
import { startStandalone } from './standalone';

runProcess(startStandalone);
